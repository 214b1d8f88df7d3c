# SPDX-License-Identifier: Apache-2.0
"""164 small programs with asserts, like those in benchmarks of code models: a function with a docstring, a solution, and
checks. `programs()` returns their sources."""

# signature: docstring / the solution, in which `;;` is a new line and `>` one more indentation / checks
TABLE = r"""
count_vowels(s): how many vowels s has
    return sum(c in 'aeiou' for c in s.lower())
    count_vowels('Sandbox') == 2; count_vowels('') == 0; count_vowels('AEIOU xyz') == 5
is_palindrome(s): whether the letters of s read the same both ways
    t = [c.lower() for c in s if c.isalnum()];; return t == t[::-1]
    is_palindrome('Never odd or even'); not is_palindrome('container'); is_palindrome('')
reverse_words(s): the words in reverse order
    return ' '.join(s.split()[::-1])
    reverse_words('one two  three') == 'three two one'; reverse_words('') == ''
run_length(s): runs of letters as pairs
    out = [];; for c in s:;; > if out and out[-1][0] == c:;; >> out[-1][1] += 1;; > else:;; >> out.append([c, 1]);; return out
    run_length('aabccc') == [['a', 2], ['b', 1], ['c', 3]]; run_length('') == []
expand_runs(s): 3a2b becomes aaabb
    import re;; return ''.join(c * int(n) for n, c in re.findall(r'(\d+)(\D)', s))
    expand_runs('3a2b') == 'aaabb'; expand_runs('10x1y') == 'x' * 10 + 'y'
caesar(s, k): each letter k places further
    out = '';; for c in s:;; > if c.isalpha():;; >> a = ord('A' if c.isupper() else 'a');; >> c = chr((ord(c) - a + k) % 26 + a);; > out += c;; return out
    caesar('Hello, World', 3) == 'Khoor, Zruog'; caesar(caesar('abcxyz', 11), -11) == 'abcxyz'
longest_word(s): the first of the longest words
    return max(s.split(), key=len, default='')
    longest_word('a quick brown fox') == 'quick'; longest_word('') == ''
anagrams(words): groups of anagrams, sorted
    groups = {};; for w in words:;; > groups.setdefault(''.join(sorted(w)), []).append(w);; return sorted(sorted(g) for g in groups.values())
    anagrams(['tea', 'ate', 'tan', 'nat', 'bat']) == [['ate', 'tea'], ['bat'], ['nat', 'tan']]
title_case(s): the first letter of every word large
    return ' '.join(w[:1].upper() + w[1:].lower() for w in s.split(' '))
    title_case('the quick  FOX') == 'The Quick  Fox'; title_case('') == ''
common_prefix(words): the longest common prefix
    p = words[0] if words else '';; for w in words:;; > while not w.startswith(p):;; >> p = p[:-1];; return p
    common_prefix(['flower', 'flow', 'flight']) == 'fl'; common_prefix(['a', 'b']) == ''; common_prefix([]) == ''
unique_letters(s): the letters in order of appearance, once each
    return ''.join(dict.fromkeys(s))
    unique_letters('mississippi') == 'misp'; unique_letters('') == ''
first_unique(s): the first letter that is there once
    return next((c for c in s if s.count(c) == 1), None)
    first_unique('swiss') == 'w'; first_unique('aabb') is None
is_rotation(a, b): whether b is a rotated
    return len(a) == len(b) and b in a + a
    is_rotation('waterbottle', 'erbottlewat'); not is_rotation('abc', 'acb'); is_rotation('', '')
snake_case(s): CamelCase with underscores
    import re;; return re.sub(r'(?<!^)(?=[A-Z])', '_', s).lower()
    snake_case('HttpServerError') == 'http_server_error'; snake_case('x') == 'x'
camel_case(s): snake_case without underscores
    return ''.join(w.capitalize() for w in s.split('_'))
    camel_case('unix_domain_socket') == 'UnixDomainSocket'; camel_case('a') == 'A'
balanced(s): whether brackets match
    pairs, stack = {')': '(', ']': '[', '}': '{'}, [];; for c in s:;; > if c in pairs.values():;; >> stack.append(c);; > elif c in pairs and (not stack or stack.pop() != pairs[c]):;; >> return False;; return not stack
    balanced('{[()]}()'); not balanced('([)]'); not balanced('(('); balanced('')
bracket_depth(s): how deep the parentheses go
    depth = most = 0;; for c in s:;; > depth += (c == '(') - (c == ')');; > most = max(most, depth);; return most
    bracket_depth('(()(()))') == 3; bracket_depth('x') == 0
word_count(s): how often each word is there
    count = {};; for w in s.lower().split():;; > count[w] = count.get(w, 0) + 1;; return count
    word_count('to be or not To be') == {'to': 2, 'be': 2, 'or': 1, 'not': 1}; word_count('') == {}
most_common(items): the commonest, the smallest of several
    return min(set(items), key=lambda x: (-items.count(x), x))
    most_common([3, 1, 3, 2, 1]) == 1; most_common('hello') == 'l'
wrap_text(s, width): lines of at most width letters
    import textwrap;; return textwrap.wrap(s, width)
    wrap_text('the quick brown fox', 10) == ['the quick', 'brown fox']; wrap_text('', 5) == []
hamming(a, b): how many places differ
    return sum(x != y for x, y in zip(a, b)) + abs(len(a) - len(b))
    hamming('karolin', 'kathrin') == 3; hamming('abc', 'ab') == 1
levenshtein(a, b): the edit distance
    row = list(range(len(b) + 1));; for i, x in enumerate(a, 1):;; > last, row[0] = row[0], i;; > for j, y in enumerate(b, 1):;; >> last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (x != y));; return row[-1]
    levenshtein('kitten', 'sitting') == 3; levenshtein('', 'abc') == 3; levenshtein('same', 'same') == 0
longest_common(a, b): the length of the longest common subsequence
    row = [0] * (len(b) + 1);; for x in a:;; > last = 0;; > for j, y in enumerate(b, 1):;; >> last, row[j] = row[j], last + 1 if x == y else max(row[j], row[j - 1]);; return row[-1]
    longest_common('ABCBDAB', 'BDCABA') == 4; longest_common('', 'x') == 0
substrings(s): how many different substrings
    return len({s[i:j] for i in range(len(s)) for j in range(i + 1, len(s) + 1)})
    substrings('aaa') == 3; substrings('abc') == 6; substrings('') == 0
longest_run(s): the longest substring without a letter twice
    begin, best, seen = 0, '', {};; for i, c in enumerate(s):;; > begin = max(begin, seen.get(c, -1) + 1);; > seen[c] = i;; > best = max(best, s[begin:i + 1], key=len);; return best
    longest_run('abcabcbb') == 'abc'; longest_run('bbbb') == 'b'; longest_run('') == ''
is_prime(n): whether n is prime
    return n > 1 and all(n % d for d in range(2, int(n ** 0.5) + 1))
    [n for n in range(30) if is_prime(n)] == [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]; not is_prime(-7)
sieve(n): the primes below n
    p = [True] * n;; p[:2] = [False] * min(n, 2);; for i in range(2, int(n ** 0.5) + 1):;; > if p[i]:;; >> p[i * i::i] = [False] * len(p[i * i::i]);; return [i for i, x in enumerate(p) if x]
    len(sieve(1000)) == 168; sieve(2) == []; sieve(12) == [2, 3, 5, 7, 11]
factors(n): the prime factors
    out, d = [], 2;; while d * d <= n:;; > while n % d == 0:;; >> out.append(d);; >> n //= d;; > d += 1;; return out + [n] * (n > 1)
    factors(360) == [2, 2, 2, 3, 3, 5]; factors(97) == [97]; factors(1) == []
divisors(n): all divisors in order
    return [d for d in range(1, n + 1) if n % d == 0]
    divisors(28) == [1, 2, 4, 7, 14, 28]; divisors(1) == [1]
gcd(a, b): the greatest common divisor
    while b:;; > a, b = b, a % b;; return a
    gcd(84, 36) == 12; gcd(17, 5) == 1; gcd(0, 9) == 9
lcm(a, b): the least common multiple
    from math import gcd;; return a * b // gcd(a, b) if a and b else 0
    lcm(4, 6) == 12; lcm(7, 0) == 0; lcm(21, 6) == 42
perfect(n): whether n is the sum of its smaller divisors
    return n > 1 and sum(d for d in range(1, n) if n % d == 0) == n
    [n for n in range(1, 500) if perfect(n)] == [6, 28, 496]
fibonacci(n): the n-th Fibonacci number
    a, b = 0, 1;; for _ in range(n):;; > a, b = b, a + b;; return a
    [fibonacci(i) for i in range(8)] == [0, 1, 1, 2, 3, 5, 8, 13]; fibonacci(90) == 2880067194370816120
factorial(n): n!, by recursion
    return 1 if n < 2 else n * factorial(n - 1)
    factorial(0) == 1; factorial(10) == 3628800; factorial(20) == 2432902008176640000
binomial(n, k): n over k
    out = 1;; for i in range(k):;; > out = out * (n - i) // (i + 1);; return out
    binomial(5, 2) == 10; binomial(40, 20) == 137846528820; binomial(3, 0) == 1
pascal(n): the n-th row of Pascal's triangle
    row = [1];; for _ in range(n):;; > row = [a + b for a, b in zip([0] + row, row + [0])];; return row
    pascal(0) == [1]; pascal(4) == [1, 4, 6, 4, 1]
collatz(n): steps until 1
    steps = 0;; while n != 1:;; > n, steps = n // 2 if n % 2 == 0 else 3 * n + 1, steps + 1;; return steps
    collatz(6) == 8; collatz(27) == 111; collatz(1) == 0
digits_sum(n): the sum of the digits
    return sum(map(int, str(abs(n))))
    digits_sum(12345) == 15; digits_sum(-99) == 18; digits_sum(0) == 0
digital_root(n): the sum of digits until one is left
    return 0 if n == 0 else 1 + (n - 1) % 9
    digital_root(942) == 6; digital_root(132189) == 6; digital_root(0) == 0
armstrong(n): whether n is the sum of its digits' powers
    s = str(n);; return n == sum(int(d) ** len(s) for d in s)
    [n for n in range(100, 1000) if armstrong(n)] == [153, 370, 371, 407]
to_roman(n): as Romans wrote it
    out = '';; for v, s in zip((1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1), 'M CM D CD C XC L XL X IX V IV I'.split()):;; > out += s * (n // v);; > n %= v;; return out
    to_roman(1994) == 'MCMXCIV'; to_roman(2026) == 'MMXXVI'; to_roman(4) == 'IV'
from_roman(s): a number from roman digits
    v = dict(zip('IVXLCDM', (1, 5, 10, 50, 100, 500, 1000)));; return sum(-v[a] if v[a] < v[b] else v[a] for a, b in zip(s, s[1:] + 'I'))
    from_roman('MCMXCIV') == 1994; from_roman('XLII') == 42; from_roman('III') == 3
to_base(n, base): n written in a base up to 36
    digits = '0123456789abcdefghijklmnopqrstuvwxyz';; out = '';; while True:;; > n, d = divmod(n, base);; > out = digits[d] + out;; > if not n:;; >> return out
    to_base(255, 16) == 'ff'; to_base(0, 2) == '0'; int(to_base(987654321, 36), 36) == 987654321
power_mod(b, e, m): b to the e modulo m by squaring
    out = 1;; while e:;; > if e & 1:;; >> out = out * b % m;; > b, e = b * b % m, e >> 1;; return out
    power_mod(3, 200, 13) == pow(3, 200, 13); power_mod(2, 10, 1000) == 24
integer_root(n): the whole part of the square root, by Newton
    x = n;; while x * x > n:;; > x = (x + n // x) // 2;; return x
    integer_root(99) == 9; integer_root(10 ** 40) == 10 ** 20; integer_root(0) == 0
bits(n): how many bits are set
    count = 0;; while n:;; > n &= n - 1;; > count += 1;; return count
    bits(255) == 8; bits(0) == 0; bits(2 ** 70 + 1) == 2
gray(n): all Gray codes of n bits
    return [i ^ i >> 1 for i in range(1 << n)]
    gray(2) == [0, 1, 3, 2]; all(bin(a ^ b).count('1') == 1 for a, b in zip(gray(6), gray(6)[1:]))
next_prime(n): the smallest prime above n
    n += 1;; while n < 2 or any(n % d == 0 for d in range(2, int(n ** 0.5) + 1)):;; > n += 1;; return n
    next_prime(13) == 17; next_prime(-5) == 2; next_prime(7900) == 7901
goldbach(n): two primes that make the even n
    ok = lambda p: p > 1 and all(p % d for d in range(2, int(p ** 0.5) + 1));; return next((p, n - p) for p in range(2, n) if ok(p) and ok(n - p))
    goldbach(28) == (5, 23); goldbach(4) == (2, 2); sum(goldbach(1000)) == 1000
pythagorean(n): triples of sides up to n
    return [(a, b, c) for c in range(1, n + 1) for b in range(1, c) for a in range(1, b) if a * a + b * b == c * c]
    pythagorean(13) == [(3, 4, 5), (6, 8, 10), (5, 12, 13)]; pythagorean(4) == []
running_max(xs): the largest so far
    from itertools import accumulate;; return list(accumulate(xs, max))
    running_max([1, 3, 2, 5, 4]) == [1, 3, 3, 5, 5]; running_max([]) == []
moving_average(xs, k): means of k neighbours
    return [sum(xs[i:i + k]) / k for i in range(len(xs) - k + 1)]
    moving_average([1, 2, 3, 4], 2) == [1.5, 2.5, 3.5]; moving_average([1], 2) == []
flatten(x): nested lists made flat
    return [z for y in x for z in (flatten(y) if isinstance(y, list) else [y])]
    flatten([1, [2, [3, [4]], 5]]) == [1, 2, 3, 4, 5]; flatten([]) == []
chunks(xs, n): pieces of n
    return [xs[i:i + n] for i in range(0, len(xs), n)]
    chunks([1, 2, 3, 4, 5], 2) == [[1, 2], [3, 4], [5]]; chunks([], 3) == []
rotate(xs, k): k places to the right
    k = k % len(xs) if xs else 0;; return xs[-k:] + xs[:-k] if k else xs[:]
    rotate([1, 2, 3, 4], 1) == [4, 1, 2, 3]; rotate([1, 2], 4) == [1, 2]; rotate([], 3) == []
dedupe(xs): neighbours that are equal once
    return [x for i, x in enumerate(xs) if i == 0 or x != xs[i - 1]]
    dedupe([1, 1, 2, 2, 1]) == [1, 2, 1]; dedupe([]) == []
intersect(a, b): what both have, as often
    rest, out = list(b), [];; for x in a:;; > if x in rest:;; >> rest.remove(x);; >> out.append(x);; return out
    intersect([1, 2, 2, 3], [2, 2, 4]) == [2, 2]; intersect([], [1]) == []
two_sum(xs, total): places of two that make total
    seen = {};; for i, x in enumerate(xs):;; > if total - x in seen:;; >> return seen[total - x], i;; > seen[x] = i
    two_sum([2, 7, 11, 15], 9) == (0, 1); two_sum([3, 3], 6) == (0, 1); two_sum([1], 2) is None
three_sum(xs): triples that make zero
    from itertools import combinations;; return sorted({tuple(sorted(c)) for c in combinations(xs, 3) if sum(c) == 0})
    three_sum([-1, 0, 1, 2, -1, -4]) == [(-1, -1, 2), (-1, 0, 1)]; three_sum([1]) == []
max_subarray(xs): the largest sum of neighbours
    best = here = xs[0];; for x in xs[1:]:;; > here = max(x, here + x);; > best = max(best, here);; return best
    max_subarray([-2, 1, -3, 4, -1, 2, 1, -5, 4]) == 6; max_subarray([-3, -1]) == -1
max_product(xs): the largest product of neighbours
    best = high = low = xs[0];; for x in xs[1:]:;; > high, low = max(x, high * x, low * x), min(x, high * x, low * x);; > best = max(best, high);; return best
    max_product([2, 3, -2, 4]) == 6; max_product([-2, 3, -4]) == 24
majority(xs): what more than half are, or None
    x = max(set(xs), key=xs.count, default=None);; return x if xs.count(x) * 2 > len(xs) else None
    majority([1, 2, 1, 1]) == 1; majority([1, 2]) is None; majority([]) is None
missing(xs): the number of 0..n that is not there
    return sum(range(len(xs) + 1)) - sum(xs)
    missing([3, 0, 1]) == 2; missing([]) == 0; missing(list(range(99))) == 99
single(xs): the one that is there once, others twice
    from functools import reduce;; return reduce(lambda a, b: a ^ b, xs)
    single([4, 1, 2, 1, 2]) == 4; single([7]) == 7
water(heights): how much rain stays between
    return sum(max(0, min(max(heights[:i + 1]), max(heights[i:])) - h) for i, h in enumerate(heights))
    water([0, 1, 0, 2, 1, 0, 1, 3, 2, 1, 2, 1]) == 6; water([]) == 0
stock(prices): the best gain of one purchase and sale
    low, best = float('inf'), 0;; for p in prices:;; > low = min(low, p);; > best = max(best, p - low);; return best
    stock([7, 1, 5, 3, 6, 4]) == 5; stock([5, 4, 3]) == 0; stock([]) == 0
bubble_sort(xs): sorted by swaps
    xs = xs[:];; for n in range(len(xs), 1, -1):;; > for i in range(n - 1):;; >> if xs[i] > xs[i + 1]:;; >>> xs[i], xs[i + 1] = xs[i + 1], xs[i];; return xs
    bubble_sort([5, 2, 9, 1]) == [1, 2, 5, 9]; bubble_sort([]) == []
insertion_sort(xs): sorted by insertion
    out = [];; for x in xs:;; > i = len(out);; > while i and out[i - 1] > x:;; >> i -= 1;; > out.insert(i, x);; return out
    insertion_sort([3, 1, 2, 1]) == [1, 1, 2, 3]; insertion_sort(list('sbx')) == ['b', 's', 'x']
merge_sort(xs): sorted by halves
    if len(xs) < 2:;; > return xs;; a, b, out = merge_sort(xs[:len(xs) // 2]), merge_sort(xs[len(xs) // 2:]), [];; while a and b:;; > out.append((a if a[0] <= b[0] else b).pop(0));; return out + a + b
    merge_sort([5, 2, 9, 1, 5, 6]) == [1, 2, 5, 5, 6, 9]; merge_sort(list(range(100, 0, -1))) == list(range(1, 101))
quick_sort(xs): sorted around a pivot
    if not xs:;; > return [];; p = xs[len(xs) // 2];; return quick_sort([x for x in xs if x < p]) + [x for x in xs if x == p] + quick_sort([x for x in xs if x > p])
    quick_sort([3, 6, 1, 8, 2, 9, 2]) == [1, 2, 2, 3, 6, 8, 9]; quick_sort([]) == []
heap_sort(xs): sorted by a heap
    import heapq;; h = list(xs);; heapq.heapify(h);; return [heapq.heappop(h) for _ in range(len(h))]
    heap_sort([9, 4, 7, 1]) == [1, 4, 7, 9]; heap_sort('heap') == ['a', 'e', 'h', 'p']
counting_sort(xs): small numbers sorted by counting
    count = [0] * (max(xs, default=-1) + 1);; for x in xs:;; > count[x] += 1;; return [x for x, n in enumerate(count) for _ in range(n)]
    counting_sort([4, 1, 3, 4, 0]) == [0, 1, 3, 4, 4]; counting_sort([]) == []
radix_sort(xs): sorted digit by digit
    d = 1;; while any(x >= d for x in xs):;; > xs = [x for n in range(10) for x in xs if x // d % 10 == n];; > d *= 10;; return xs
    radix_sort([170, 45, 75, 90, 802, 24, 2, 66]) == [2, 24, 45, 66, 75, 90, 170, 802]; radix_sort([]) == []
binary_search(xs, x): where x is in the sorted xs, or -1
    low, high = 0, len(xs);; while low < high:;; > mid = (low + high) // 2;; > if xs[mid] < x:;; >> low = mid + 1;; > else:;; >> high = mid;; return low if low < len(xs) and xs[low] == x else -1
    binary_search([1, 3, 5, 7], 5) == 2; binary_search([1, 3], 2) == -1; binary_search([], 1) == -1
kth_largest(xs, k): the k-th largest
    import heapq;; return heapq.nlargest(k, xs)[-1]
    kth_largest([3, 2, 1, 5, 6, 4], 2) == 5; kth_largest([1], 1) == 1
median(xs): the middle
    s, n = sorted(xs), len(xs);; return s[n // 2] if n % 2 else (s[n // 2 - 1] + s[n // 2]) / 2
    median([3, 1, 2]) == 2; median([4, 1, 3, 2]) == 2.5
variance(xs): the mean square distance from the mean
    m = sum(xs) / len(xs);; return sum((x - m) ** 2 for x in xs) / len(xs)
    variance([2, 4, 4, 4, 5, 5, 7, 9]) == 4; variance([3]) == 0
modes(xs): the commonest values in order
    most = max(map(xs.count, xs), default=0);; return sorted({x for x in xs if xs.count(x) == most})
    modes([1, 2, 2, 3, 3]) == [2, 3]; modes([]) == []
inversions(xs): pairs that stand the wrong way round
    return sum(a > b for i, a in enumerate(xs) for b in xs[i + 1:])
    inversions([2, 4, 1, 3, 5]) == 3; inversions([]) == 0
merge_intervals(spans): overlapping spans made one
    out = [];; for a, b in sorted(spans):;; > if out and a <= out[-1][1]:;; >> out[-1][1] = max(out[-1][1], b);; > else:;; >> out.append([a, b]);; return out
    merge_intervals([(8, 10), (1, 3), (2, 6)]) == [[1, 6], [8, 10]]; merge_intervals([]) == []
meeting_rooms(spans): how many rooms are needed
    events = sorted([(a, 1) for a, b in spans] + [(b, -1) for a, b in spans]);; now = most = 0;; for _, d in events:;; > now += d;; > most = max(most, now);; return most
    meeting_rooms([(0, 30), (5, 10), (15, 20)]) == 2; meeting_rooms([(7, 10), (2, 4)]) == 1; meeting_rooms([]) == 0
lis(xs): the length of the longest rising subsequence
    from bisect import bisect_left;; tails = [];; for x in xs:;; > i = bisect_left(tails, x);; > tails[i:i + 1] = [x];; return len(tails)
    lis([10, 9, 2, 5, 3, 7, 101, 18]) == 4; lis([]) == 0; lis([3, 2, 1]) == 1
transpose(m): rows become columns
    return [list(r) for r in zip(*m)]
    transpose([[1, 2, 3], [4, 5, 6]]) == [[1, 4], [2, 5], [3, 6]]; transpose([]) == []
matmul(a, b): the product of matrices
    return [[sum(x * y for x, y in zip(r, c)) for c in zip(*b)] for r in a]
    matmul([[1, 2], [3, 4]], [[5, 6], [7, 8]]) == [[19, 22], [43, 50]]
determinant(m): by the first row
    if len(m) == 1:;; > return m[0][0];; return sum((-1) ** j * m[0][j] * determinant([r[:j] + r[j + 1:] for r in m[1:]]) for j in range(len(m)))
    determinant([[2, 0, 1], [1, 3, 2], [1, 1, 1]]) == 0; determinant([[1, 2], [3, 4]]) == -2
spiral(m): the numbers round and round
    out = [];; while m:;; > out += m[0];; > m = [list(r) for r in zip(*m[1:])][::-1];; return out
    spiral([[1, 2, 3], [4, 5, 6], [7, 8, 9]]) == [1, 2, 3, 6, 9, 8, 7, 4, 5]; spiral([]) == []
rotate_square(m): a quarter to the right
    return [list(r) for r in zip(*m[::-1])]
    rotate_square([[1, 2], [3, 4]]) == [[3, 1], [4, 2]]; rotate_square([]) == []
islands(grid): how many pieces of land
    land = {(i, j) for i, r in enumerate(grid) for j, c in enumerate(r) if c == '#'};; count = 0;; while land:;; > count += 1;; > todo = [land.pop()];; > while todo:;; >> i, j = todo.pop();; >> for n in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):;; >>> if n in land:;; >>>> land.remove(n);; >>>> todo.append(n);; return count
    islands(['##..', '.#.#', '...#']) == 2; islands([]) == 0; islands(['#.#', '.#.', '#.#']) == 5
life(cells): the next generation of the game of life
    near = {};; for x, y in cells:;; > for dx in (-1, 0, 1):;; >> for dy in (-1, 0, 1):;; >>> if dx or dy:;; >>>> near[x + dx, y + dy] = near.get((x + dx, y + dy), 0) + 1;; return {c for c, n in near.items() if n == 3 or n == 2 and c in cells}
    life({(0, 1), (1, 1), (2, 1)}) == {(1, 0), (1, 1), (1, 2)}; life(set()) == set()
queens(n): in how many ways n queens can stand
    def place(row, cols, a, b):;; > if row == n:;; >> return 1;; > return sum(place(row + 1, cols | {c}, a | {row + c}, b | {row - c}) for c in range(n) if c not in cols and row + c not in a and row - c not in b);; return place(0, frozenset(), frozenset(), frozenset())
    [queens(n) for n in range(1, 7)] == [1, 0, 0, 2, 10, 4]
hanoi(n): the moves of a tower
    def move(n, a, b, c):;; > return move(n - 1, a, c, b) + [(a, b)] + move(n - 1, c, b, a) if n else [];; return move(n, 'A', 'C', 'B')
    len(hanoi(8)) == 255; hanoi(2) == [('A', 'B'), ('A', 'C'), ('B', 'C')]
permutations(xs): all orders
    if not xs:;; > return [[]];; return [[x] + p for i, x in enumerate(xs) for p in permutations(xs[:i] + xs[i + 1:])]
    len(permutations([1, 2, 3, 4])) == 24; permutations([1, 2]) == [[1, 2], [2, 1]]
subsets(xs): all choices
    out = [[]];; for x in xs:;; > out += [s + [x] for s in out];; return out
    len(subsets(list(range(8)))) == 256; subsets([1, 2]) == [[], [1], [2], [1, 2]]
combination_sums(xs, total): how total can be made of xs, each as often as wanted
    def rest(i, left):;; > if left == 0:;; >> return [[]];; > return [[xs[k]] + r for k in range(i, len(xs)) if xs[k] <= left for r in rest(k, left - xs[k])];; return rest(0, total)
    combination_sums([2, 3, 6, 7], 7) == [[2, 2, 3], [7]]; combination_sums([5], 3) == []
coins(total, kinds): the fewest coins, or -1
    best = [0] + [float('inf')] * total;; for t in range(1, total + 1):;; > best[t] = min((best[t - k] + 1 for k in kinds if k <= t), default=float('inf'));; return best[total] if best[total] < float('inf') else -1
    coins(11, [1, 2, 5]) == 3; coins(3, [2]) == -1; coins(0, [1]) == 0
change_ways(total, kinds): in how many ways it can be paid
    ways = [1] + [0] * total;; for k in kinds:;; > for t in range(k, total + 1):;; >> ways[t] += ways[t - k];; return ways[total]
    change_ways(100, [1, 5, 10, 25, 50]) == 292; change_ways(5, [2]) == 0
knapsack(items, room): the most worth that fits; items are (weight, worth)
    best = [0] * (room + 1);; for w, v in items:;; > for r in range(room, w - 1, -1):;; >> best[r] = max(best[r], best[r - w] + v);; return best[room]
    knapsack([(1, 1), (3, 4), (4, 5), (5, 7)], 7) == 9; knapsack([], 5) == 0
climb(n): in how many ways n stairs are climbed by ones and twos
    a = b = 1;; for _ in range(n):;; > a, b = b, a + b;; return a
    climb(5) == 8; climb(0) == 1; climb(30) == 1346269
partitions(n): in how many ways n is a sum
    from functools import lru_cache;; go = lru_cache(None)(lambda n, m: 1 if n == 0 else sum(go(n - k, k) for k in range(1, min(n, m) + 1)));; return go(n, n)
    partitions(5) == 7; partitions(40) == 37338; partitions(0) == 1
catalan(n): the n-th Catalan number
    from math import factorial as f;; return f(2 * n) // f(n) // f(n + 1)
    [catalan(i) for i in range(6)] == [1, 1, 2, 5, 14, 42]
parentheses(n): all balanced strings of n pairs
    def go(s, a, b):;; > return [s] if a == b == 0 else (go(s + '(', a - 1, b + 1) if a else []) + (go(s + ')', a, b - 1) if b else []);; return go('', n, 0)
    parentheses(3) == ['((()))', '(()())', '(())()', '()(())', '()()()']; len(parentheses(6)) == 132
grid_paths(w, h): ways from corner to corner
    row = [1] * w;; for _ in range(h - 1):;; > for i in range(1, w):;; >> row[i] += row[i - 1];; return row[-1]
    grid_paths(3, 7) == 28; grid_paths(1, 1) == 1
triangle_path(t): the cheapest way down
    best = t[-1];; for row in t[-2::-1]:;; > best = [x + min(a, b) for x, a, b in zip(row, best, best[1:])];; return best[0]
    triangle_path([[2], [3, 4], [6, 5, 7], [4, 1, 8, 3]]) == 11; triangle_path([[5]]) == 5
ackermann(m, n): Ackermann's function
    return n + 1 if m == 0 else ackermann(m - 1, 1) if n == 0 else ackermann(m - 1, ackermann(m, n - 1))
    ackermann(2, 3) == 9; ackermann(3, 2) == 29
bfs(graph, a, b): the number of steps from a to b, or None
    from collections import deque;; todo, seen = deque([(a, 0)]), {a};; while todo:;; > x, d = todo.popleft();; > if x == b:;; >> return d;; > for y in graph.get(x, ()):;; >> if y not in seen:;; >>> seen.add(y);; >>> todo.append((y, d + 1))
    bfs({1: [2, 3], 2: [4], 3: [4], 4: [5]}, 1, 5) == 3; bfs({}, 1, 2) is None; bfs({}, 1, 1) == 0
dijkstra(graph, a): the distances from a
    import heapq;; far, todo = {}, [(0, a)];; while todo:;; > d, x = heapq.heappop(todo);; > if x not in far:;; >> far[x] = d;; >> for y, w in graph.get(x, {}).items():;; >>> heapq.heappush(todo, (d + w, y));; return far
    dijkstra({'a': {'b': 7, 'c': 3}, 'c': {'b': 1, 'd': 8}, 'b': {'d': 2}}, 'a') == {'a': 0, 'c': 3, 'b': 4, 'd': 6}
topological(graph): an order in which each comes before what needs it, or None
    out, mark = [], {};; def visit(x):;; > if mark.get(x) == 1:;; >> return False;; > if x not in mark:;; >> mark[x] = 1;; >> if not all([visit(y) for y in graph.get(x, [])]):;; >>> return False;; >> mark[x] = 2;; >> out.append(x);; > return True;; return out if all([visit(x) for x in graph]) else None
    topological({'app': ['lib'], 'lib': ['libc'], 'libc': []}) == ['libc', 'lib', 'app']; topological({1: [2], 2: [1]}) is None
components(n, edges): how many parts a graph of n nodes has
    up = list(range(n));; def root(x):;; > while up[x] != x:;; >> up[x] = up[up[x]];; >> x = up[x];; > return x;; for a, b in edges:;; > up[root(a)] = root(b);; return len({root(x) for x in range(n)})
    components(5, [(0, 1), (1, 2), (3, 4)]) == 2; components(3, []) == 3
spanning_tree(edges): the weight of the lightest; edges are (weight, a, b)
    up = {};; def root(x):;; > while x in up:;; >> x = up[x];; > return x;; total = 0;; for w, a, b in sorted(edges):;; > a, b = root(a), root(b);; > if a != b:;; >> up[a] = b;; >> total += w;; return total
    spanning_tree([(1, 'a', 'b'), (2, 'b', 'c'), (3, 'a', 'c'), (4, 'c', 'd')]) == 7; spanning_tree([]) == 0
tree_depth(t): how deep a tree of (value, left, right) is
    return 0 if t is None else 1 + max(tree_depth(t[1]), tree_depth(t[2]))
    tree_depth((1, (2, None, (3, None, None)), None)) == 3; tree_depth(None) == 0
in_order(t): the values of a tree of (value, left, right)
    return [] if t is None else in_order(t[1]) + [t[0]] + in_order(t[2])
    in_order((2, (1, None, None), (3, None, None))) == [1, 2, 3]; in_order(None) == []
tree_insert(t, x): a search tree with x in it
    if t is None:;; > return (x, None, None);; v, a, b = t;; return (v, tree_insert(a, x), b) if x < v else (v, a, tree_insert(b, x)) if x > v else t
    tree_insert(tree_insert(tree_insert(None, 5), 3), 8) == (5, (3, None, None), (8, None, None))
calculate(s): a sum with precedence and parentheses
    import re;; tokens = re.findall(r'\d+|[-+*/()]', s);; def factor():;; > t = tokens.pop(0);; > if t == '(':;; >> v = term_sum();; >> tokens.pop(0);; >> return v;; > return -factor() if t == '-' else int(t);; def product():;; > v = factor();; > while tokens and tokens[0] in '*/':;; >> v = v * factor() if tokens.pop(0) == '*' else v / factor();; > return v;; def term_sum():;; > v = product();; > while tokens and tokens[0] in '+-':;; >> v = v + product() if tokens.pop(0) == '+' else v - product();; > return v;; return term_sum()
    calculate('2 + 3 * 4') == 14; calculate('(2 + 3) * -4') == -20; calculate('10 / 4 - 1') == 1.5
postfix(s): a sum in reverse Polish notation
    import operator as o;; stack = [];; for t in s.split():;; > if t in '+-*/':;; >> b, a = stack.pop(), stack.pop();; >> stack.append({'+': o.add, '-': o.sub, '*': o.mul, '/': o.truediv}[t](a, b));; > else:;; >> stack.append(float(t));; return stack[0]
    postfix('3 4 + 2 *') == 14; postfix('5 1 2 + 4 * + 3 -') == 14
parse_ini(s): sections of settings
    import configparser;; c = configparser.ConfigParser();; c.read_string(s);; return {n: dict(c[n]) for n in c.sections()}
    parse_ini('[a]\nx = 1\ny=2\n[b]\n') == {'a': {'x': '1', 'y': '2'}, 'b': {}}
parse_csv(s): rows of fields, quotes honoured
    import csv, io;; return list(csv.reader(io.StringIO(s)))
    parse_csv('a,"b, c"\n1,2\n') == [['a', 'b, c'], ['1', '2']]; parse_csv('') == []
parse_query(s): the fields of a URL's query
    from urllib.parse import parse_qs;; return parse_qs(s)
    parse_query('a=1&b=x%20y&a=2') == {'a': ['1', '2'], 'b': ['x y']}; parse_query('') == {}
json_depth(s): how deep a JSON text is nested
    import json;; def deep(x):;; > return 1 + max(map(deep, x.values() if isinstance(x, dict) else x), default=0) if isinstance(x, (dict, list)) else 0;; return deep(json.loads(s))
    json_depth('{"a": [1, {"b": []}]}') == 4; json_depth('3') == 0
valid_ip(s): whether s is an IPv4 address
    parts = s.split('.');; return len(parts) == 4 and all(p.isdigit() and str(int(p)) == p and int(p) < 256 for p in parts)
    valid_ip('192.168.0.1'); not valid_ip('256.1.1.1'); not valid_ip('01.2.3.4'); not valid_ip('1.2.3')
valid_password(s): eight signs, with a digit, a small and a large letter
    return len(s) >= 8 and any(c.isdigit() for c in s) and any(c.islower() for c in s) and any(c.isupper() for c in s)
    valid_password('Secret123'); not valid_password('short1A'); not valid_password('alllower1')
luhn(s): whether the check digit is right
    return sum(sum(divmod(int(c) * (1 + i % 2), 10)) for i, c in enumerate(s[::-1])) % 10 == 0
    luhn('4539578763621486'); not luhn('8273123273520569'); luhn('0')
leap(y): whether y is a leap year
    return y % 4 == 0 and (y % 100 != 0 or y % 400 == 0)
    [leap(y) for y in (1900, 2000, 2023, 2024)] == [False, True, False, True]
weekday(y, m, d): the day of the week
    import datetime;; return datetime.date(y, m, d).strftime('%A')
    weekday(2024, 2, 29) == 'Thursday'; weekday(1970, 1, 1) == 'Thursday'
days_between(a, b): how many days between two dates
    from datetime import date;; return abs((date.fromisoformat(a) - date.fromisoformat(b)).days)
    days_between('2024-01-01', '2024-03-01') == 60; days_between('2023-05-05', '2023-05-05') == 0
duration(s): seconds as h:mm:ss
    return '%d:%02d:%02d' % (s // 3600, s // 60 % 60, s % 60)
    duration(3661) == '1:01:01'; duration(0) == '0:00:00'
human_size(n): bytes in units of 1024
    for unit in 'B', 'KB', 'MB', 'GB':;; > if n < 1024:;; >> return '%.4g %s' % (n, unit);; > n /= 1024;; return '%.4g TB' % n
    human_size(1536) == '1.5 KB'; human_size(512) == '512 B'; human_size(5 * 2 ** 40) == '5 TB'
spell(n): a number below a thousand in words
    ones = 'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split();; tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split();; if n < 20:;; > return ones[n];; if n < 100:;; > return tens[n // 10 - 2] + ('-' + ones[n % 10] if n % 10 else '');; return ones[n // 100] + ' hundred' + (' ' + spell(n % 100) if n % 100 else '')
    spell(0) == 'zero'; spell(42) == 'forty-two'; spell(315) == 'three hundred fifteen'
morse(s): letters in Morse code
    code = dict(zip('abcdefghijklmnopqrstuvwxyz', '.- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..'.split()));; return ' '.join(code[c] for c in s.lower() if c in code)
    morse('SOS') == '... --- ...'; morse('') == ''
pig_latin(s): words with their first consonants at the end
    import re;; return ' '.join(re.sub(r'^([^aeiou]*)(.*)$', r'\2\1ay', w) for w in s.split())
    pig_latin('hello apple') == 'ellohay appleay'; pig_latin('') == ''
base64_of(b): base64 by hand
    a = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';; bits = ''.join(format(x, '08b') for x in b);; out = ''.join(a[int(bits[i:i + 6].ljust(6, '0'), 2)] for i in range(0, len(bits), 6));; return out + '=' * (-len(out) % 4)
    base64_of(b'sandbox') == 'c2FuZGJveA=='; base64_of(b'') == ''
crc8(data): a check sum with the polynomial 7
    crc = 0;; for x in data:;; > crc ^= x;; > for _ in range(8):;; >> crc = (crc << 1 ^ 7) & 255 if crc & 128 else crc << 1;; return crc
    crc8(b'123456789') == 0xf4; crc8(b'') == 0
adler32(data): Adler's check sum
    a, b = 1, 0;; for x in data:;; > a = (a + x) % 65521;; > b = (b + a) % 65521;; return b << 16 | a
    adler32(b'Wikipedia') == 0x11e60398; adler32(b'') == 1
fnv1a(data): a hash of 32 bits
    h = 2166136261;; for x in data:;; > h = (h ^ x) * 16777619 % 2 ** 32;; return h
    fnv1a(b'') == 0x811c9dc5; fnv1a(b'a') == 0xe40c292c
sha_hex(s): the first ten digits of sha256
    import hashlib;; return hashlib.sha256(s.encode()).hexdigest()[:10]
    sha_hex('') == 'e3b0c44298'; sha_hex('abc') == 'ba7816bf8f'
huffman_bits(s): how many bits Huffman's code needs
    import heapq;; h = sorted(map(s.count, set(s)));; total = 0;; while len(h) > 1:;; > n = heapq.heappop(h) + heapq.heappop(h);; > total += n;; > heapq.heappush(h, n);; return total
    huffman_bits('abracadabra') == 23; huffman_bits('aaaa') == 0
lru(size, keys): how often a cache of that size misses
    from collections import OrderedDict;; c, misses = OrderedDict(), 0;; for k in keys:;; > if k in c:;; >> c.move_to_end(k);; > else:;; >> misses += 1;; >> c[k] = 1;; >> if len(c) > size:;; >>> c.popitem(last=False);; return misses
    lru(2, 'abab') == 2; lru(2, 'abcabc') == 6; lru(3, 'abcabc') == 3
min_stack(ops): the minimum of a stack after each push of a number and pop of None
    s, out = [], [];; for x in ops:;; > s.append((x, min(x, s[-1][1]) if s else x)) if x is not None else s.pop();; > out.append(s[-1][1] if s else None);; return out
    min_stack([3, 1, 2, None, None, 5]) == [3, 1, 1, 1, 3, 3]; min_stack([]) == []
next_greater(xs): for each the next larger one, or -1
    out, stack = [-1] * len(xs), [];; for i, x in enumerate(xs):;; > while stack and xs[stack[-1]] < x:;; >> out[stack.pop()] = x;; > stack.append(i);; return out
    next_greater([2, 1, 2, 4, 3]) == [4, 2, 4, -1, -1]; next_greater([]) == []
histogram(xs): the largest rectangle in a histogram
    best, stack = 0, [];; for i, h in enumerate(xs + [0]):;; > begin = i;; > while stack and stack[-1][1] >= h:;; >> begin, high = stack.pop();; >> best = max(best, high * (i - begin));; > stack.append((begin, h));; return best
    histogram([2, 1, 5, 6, 2, 3]) == 10; histogram([]) == 0
primes_stream(n): the first n primes by a generator
    def stream():;; > found, k = [], 2;; > while True:;; >> if all(k % p for p in found):;; >>> found.append(k);; >>> yield k;; >> k += 1;; from itertools import islice;; return list(islice(stream(), n))
    primes_stream(6) == [2, 3, 5, 7, 11, 13]; primes_stream(100)[-1] == 541
josephus(n, k): who is left of n when each k-th goes
    r = 0;; for i in range(2, n + 1):;; > r = (r + k) % i;; return r + 1
    josephus(7, 3) == 4; josephus(41, 3) == 31; josephus(1, 9) == 1
look_and_say(n): the n-th term
    import itertools;; s = '1';; for _ in range(n - 1):;; > s = ''.join('%d%s' % (len(list(g)), k) for k, g in itertools.groupby(s));; return s
    look_and_say(1) == '1'; look_and_say(6) == '312211'
magic_square(n): a magic square of odd size
    m = [[0] * n for _ in range(n)];; for k in range(n * n):;; > m[(k // n - k % n) % n][(2 * (k // n) - k % n + n // 2) % n] = k + 1;; return m
    sorted(sum(magic_square(3), [])) == list(range(1, 10)); len({sum(r) for r in magic_square(5)}) == 1
closest_pair(points): the smallest distance of two points
    from itertools import combinations;; from math import dist;; return min((dist(a, b) for a, b in combinations(points, 2)), default=None)
    closest_pair([(0, 0), (3, 4), (10, 0)]) == 5; closest_pair([(1, 1)]) is None
polygon_area(points): by the shoelace formula
    return abs(sum(a * d - b * c for (a, b), (c, d) in zip(points, points[1:] + points[:1]))) / 2
    polygon_area([(0, 0), (4, 0), (4, 3)]) == 6; polygon_area([(0, 0), (2, 0), (2, 2), (0, 2)]) == 4
convex_hull(points): the corners, counted from the left
    def half(ps):;; > out = [];; > for p in ps:;; >> while len(out) > 1 and (out[-1][0] - out[-2][0]) * (p[1] - out[-2][1]) <= (out[-1][1] - out[-2][1]) * (p[0] - out[-2][0]):;; >>> out.pop();; >> out.append(p);; > return out[:-1];; ps = sorted(points);; return half(ps) + half(ps[::-1])
    convex_hull([(0, 0), (2, 0), (1, 1), (2, 2), (0, 2)]) == [(0, 0), (2, 0), (2, 2), (0, 2)]
newton(f, x): a zero of f near x
    for _ in range(50):;; > x -= f(x) * 2e-6 / (f(x + 1e-6) - f(x - 1e-6) or 1e-12);; return x
    abs(newton(lambda x: x * x - 2, 1.0) - 2 ** 0.5) < 1e-6; abs(newton(lambda x: x ** 3 - 8, 3.0) - 2) < 1e-6
integrate(f, a, b): by Simpson's rule
    n = 200;; h = (b - a) / n;; return h / 3 * sum(f(a + i * h) * (1 if i in (0, n) else 4 if i % 2 else 2) for i in range(n + 1))
    abs(integrate(lambda x: x * x, 0, 3) - 9) < 1e-9; abs(integrate(abs, -1, 1) - 1) < 1e-3
fractions_sum(pairs): a sum of fractions, shortened
    from fractions import Fraction;; f = sum((Fraction(a, b) for a, b in pairs), Fraction(0));; return f.numerator, f.denominator
    fractions_sum([(1, 2), (1, 3), (1, 6)]) == (1, 1); fractions_sum([]) == (0, 1)
decimal_places(x, n): x rounded half up
    from decimal import ROUND_HALF_UP, Decimal;; return str(Decimal(x).quantize(Decimal(1).scaleb(-n), ROUND_HALF_UP))
    decimal_places('2.675', 2) == '2.68'; decimal_places('1', 3) == '1.000'
Account(start): money that cannot become less than nothing
    class A:;; > def __init__(self):;; >> self.money = start;; > def pay(self, n):;; >> if n > self.money:;; >>> raise ValueError('too little');; >> self.money -= n;; >> return self.money;; return A()
    Account(10).pay(4) == 6; isinstance(Account(0), object); [1 for a in [Account(5)] for _ in range(5) if a.pay(1) >= 0] == [1] * 5
safe_divide(a, b): None where it cannot be
    try:;; > return a / b;; except (ZeroDivisionError, TypeError):;; > return None
    safe_divide(6, 3) == 2; safe_divide(1, 0) is None; safe_divide('a', 2) is None
memoized(n): Tribonacci numbers with a cache
    cache = {0: 0, 1: 0, 2: 1};; def t(n):;; > if n not in cache:;; >> cache[n] = t(n - 1) + t(n - 2) + t(n - 3);; > return cache[n];; return t(n)
    [memoized(i) for i in range(8)] == [0, 0, 1, 1, 2, 4, 7, 13]; memoized(60) == 1383410902447554
invert(d): values to lists of keys
    out = {};; for k, v in d.items():;; > out.setdefault(v, []).append(k);; return out
    invert({'a': 1, 'b': 2, 'c': 1}) == {1: ['a', 'c'], 2: ['b']}; invert({}) == {}
deep_merge(a, b): dicts merged, b wins
    return {k: deep_merge(a[k], b[k]) if isinstance(a.get(k), dict) and isinstance(b.get(k), dict) else b.get(k, a.get(k)) for k in {**a, **b}}
    deep_merge({'x': {'y': 1}, 'z': 3}, {'x': {'w': 2}, 'z': 4}) == {'x': {'y': 1, 'w': 2}, 'z': 4}
group_by(xs, f): lists by the value of f
    out = {};; for x in xs:;; > out.setdefault(f(x), []).append(x);; return out
    group_by([1, 2, 3, 4], lambda x: x % 2) == {1: [1, 3], 0: [2, 4]}; group_by([], len) == {}
zigzag(s, rows): read off in zigzag
    if rows < 2:;; > return s;; out = [''] * rows;; for i, c in enumerate(s):;; > k = i % (2 * rows - 2);; > out[min(k, 2 * rows - 2 - k)] += c;; return ''.join(out)
    zigzag('PAYPALISHIRING', 3) == 'PAHNAPLSIIGYIR'; zigzag('AB', 1) == 'AB'
vigenere(s, key): enciphered with a key
    return ''.join(chr((ord(c) + ord(key[i % len(key)]) - 130) % 26 + 65) for i, c in enumerate(s))
    vigenere('ATTACKATDAWN', 'LEMON') == 'LXFOPVEFRNHR'; vigenere('', 'A') == ''
compare_versions(a, b): -1, 0 or 1
    x, y = ([int(p) for p in v.split('.')] for v in (a, b));; n = max(len(x), len(y));; x, y = x + [0] * (n - len(x)), y + [0] * (n - len(y));; return (x > y) - (x < y)
    compare_versions('1.10', '1.9') == 1; compare_versions('1.0', '1') == 0; compare_versions('0.1', '1.1') == -1
sudoku_ok(rows): whether no row, column or box has a digit twice
    cells = [(r, c, d) for r, row in enumerate(rows) for c, d in enumerate(row) if d != '.'];; marks = [m for r, c, d in cells for m in ((d, 'r', r), (d, 'c', c), (d, r // 3, c // 3))];; return len(marks) == len(set(marks))
    sudoku_ok(['53..7....'] + ['.' * 9] * 8); not sudoku_ok(['5...5....'] + ['.' * 9] * 8)
word_break(s, words): whether s is made of words
    ok = [True] + [False] * len(s);; for i in range(1, len(s) + 1):;; > ok[i] = any(ok[i - len(w)] and s[:i].endswith(w) for w in words if len(w) <= i);; return ok[-1]
    word_break('squashfsimage', ['squash', 'fs', 'image']); not word_break('sandboxes', ['sand', 'box'])
glob_match(s, pattern): whether s matches * and ?
    if not pattern:;; > return not s;; if pattern[0] == '*':;; > return any(glob_match(s[i:], pattern[1:]) for i in range(len(s) + 1));; return bool(s) and pattern[0] in ('?', s[0]) and glob_match(s[1:], pattern[1:])
    glob_match('report.csv', '*.c?v'); not glob_match('abc', 'a?'); glob_match('', '*')
trie(words, prefix): the words that begin with it
    root = {};; for w in words:;; > node = root;; > for c in w:;; >> node = node.setdefault(c, {});; > node[''] = w;; node = root;; for c in prefix:;; > node = node.get(c, {});; out, todo = [], [node];; while todo:;; > for k, v in todo.pop().items():;; >> if k:;; >>> todo.append(v);; >> else:;; >>> out.append(v);; return sorted(out)
    trie(['run', 'rm', 'rmi', 'ps'], 'r') == ['rm', 'rmi', 'run']; trie([], 'x') == []; trie(['a'], 'ab') == []
interleave(xs): lists taken in turns until all are empty
    from itertools import chain, zip_longest;; gap = object();; return [x for x in chain.from_iterable(zip_longest(*xs, fillvalue=gap)) if x is not gap]
    interleave([[1, 2, 3], [4], [5, 6]]) == [1, 4, 5, 2, 6, 3]; interleave([]) == []
"""


def body(text):
    lines = []
    for line in text.split(";; "):
        deep = len(line) - len(line.lstrip(">"))
        lines.append("    " * (deep + 1) + line[deep:].lstrip() if deep else "    " + line)
    return "\n".join(lines)


def programs():
    """Their sources."""
    rows = [line for line in TABLE.strip().split("\n")]
    out = []
    for head, solution, checks in zip(rows[::3], rows[1::3], rows[2::3]):
        signature, says = head.split(": ", 1)
        out.append('def %s:\n    """%s."""\n%s\n\n\n%s\n' % (
            signature, says[0].upper() + says[1:], body(solution.strip()),
            "\n".join("assert " + c for c in checks.strip().split("; "))))
    return out


if __name__ == "__main__":
    for source in programs():
        exec(compile(source, "program", "exec"), {"__name__": "__main__"})
    print("%d programs hold" % len(programs()))
