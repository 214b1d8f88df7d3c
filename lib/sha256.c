/* SPDX-License-Identifier: Apache-2.0 */
#include "sha256.h"

#include <stdbool.h>
#include <string.h>

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4). */
static const uint32_t k[64] = {
	0x428a2f98,
	0x71374491,
	0xb5c0fbcf,
	0xe9b5dba5,
	0x3956c25b,
	0x59f111f1,
	0x923f82a4,
	0xab1c5ed5,
	0xd807aa98,
	0x12835b01,
	0x243185be,
	0x550c7dc3,
	0x72be5d74,
	0x80deb1fe,
	0x9bdc06a7,
	0xc19bf174,
	0xe49b69c1,
	0xefbe4786,
	0x0fc19dc6,
	0x240ca1cc,
	0x2de92c6f,
	0x4a7484aa,
	0x5cb0a9dc,
	0x76f988da,
	0x983e5152,
	0xa831c66d,
	0xb00327c8,
	0xbf597fc7,
	0xc6e00bf3,
	0xd5a79147,
	0x06ca6351,
	0x14292967,
	0x27b70a85,
	0x2e1b2138,
	0x4d2c6dfc,
	0x53380d13,
	0x650a7354,
	0x766a0abb,
	0x81c2c92e,
	0x92722c85,
	0xa2bfe8a1,
	0xa81a664b,
	0xc24b8b70,
	0xc76c51a3,
	0xd192e819,
	0xd6990624,
	0xf40e3585,
	0x106aa070,
	0x19a4c116,
	0x1e376c08,
	0x2748774c,
	0x34b0bcb5,
	0x391c0cb3,
	0x4ed8aa4a,
	0x5b9cca4f,
	0x682e6ff3,
	0x748f82ee,
	0x78a5636f,
	0x84c87814,
	0x8cc70208,
	0x90befffa,
	0xa4506ceb,
	0xbef9a3f7,
	0xc67178f2,
};

static uint32_t ror(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

static void schedule(uint32_t w[64], const unsigned char *p)
{
	for (int i = 0; i < 16; i++, p += 4)
		w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
	for (int i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + w[i - 7] + (ror(a, 7) ^ ror(a, 18) ^ a >> 3) +
		       (ror(b, 17) ^ ror(b, 19) ^ b >> 10);
	}
}

static void blocks_plain(uint32_t h[8], const unsigned char *p, size_t n)
{
	uint32_t w[64], s[8];

	for (; n > 0; n--, p += 64) {
		schedule(w, p);
		memcpy(s, h, sizeof(s));
		for (int i = 0; i < 64; i++) {
			uint32_t a = s[0], e = s[4];
			uint32_t t1 = s[7] + (ror(e, 6) ^ ror(e, 11) ^ ror(e, 25)) +
			              ((e & s[5]) ^ (~e & s[6])) + k[i] + w[i];
			uint32_t t2 = (ror(a, 2) ^ ror(a, 13) ^ ror(a, 22)) +
			              ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));

			memmove(s + 1, s, 7 * sizeof(*s));
			s[4] += t1;
			s[0] = t1 + t2;
		}
		for (int i = 0; i < 8; i++)
			h[i] += s[i];
	}
}

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

static bool has_sha(void)
{
	unsigned a, b, c, d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSE4_1) || !(c & bit_SSSE3))
		return false;
	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
}

/*
 * The instructions want the state as (ABEF, CDGH), and do two rounds at a time; four words of
 * the schedule are computed while the four before them are used.
 */
__attribute__((target("sha,sse4.1,ssse3"))) static void blocks_sha(
	uint32_t h[8], const unsigned char *p, size_t n)
{
	const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0bll, 0x0405060700010203ll);
	__m128i dcba = _mm_loadu_si128((const __m128i *)h);
	__m128i hgfe = _mm_loadu_si128((const __m128i *)(h + 4));
	__m128i cdab = _mm_shuffle_epi32(dcba, 0xb1), efgh = _mm_shuffle_epi32(hgfe, 0x1b);
	__m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
	__m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);

	for (; n > 0; n--, p += 64) {
		__m128i w[4], abef0 = abef, cdgh0 = cdgh;

		for (int i = 0; i < 4; i++)
			w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(p + 16 * i)), swap);
#pragma GCC unroll 16
		for (int i = 0; i < 16; i++) {
			__m128i x =
				_mm_add_epi32(w[i & 3], _mm_loadu_si128((const __m128i *)(k + 4 * i)));

			if (i < 12) {
				__m128i next = _mm_sha256msg1_epu32(w[i & 3], w[(i + 1) & 3]);

				next = _mm_add_epi32(
					next, _mm_alignr_epi8(w[(i + 3) & 3], w[(i + 2) & 3], 4));
				w[i & 3] = _mm_sha256msg2_epu32(next, w[(i + 3) & 3]);
			}
			cdgh = _mm_sha256rnds2_epu32(cdgh, abef, x);
			abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(x, 0x0e));
		}
		abef = _mm_add_epi32(abef, abef0);
		cdgh = _mm_add_epi32(cdgh, cdgh0);
	}
	cdab = _mm_shuffle_epi32(abef, 0x1b); /* now FEBA */
	efgh = _mm_shuffle_epi32(cdgh, 0xb1); /* now DCHG */
	_mm_storeu_si128((__m128i *)h, _mm_blend_epi16(cdab, efgh, 0xf0));
	_mm_storeu_si128((__m128i *)(h + 4), _mm_alignr_epi8(efgh, cdab, 8));
}
#else
static bool has_sha(void)
{
	return false;
}
#define blocks_sha blocks_plain
#endif

void sha256_init(struct sha256 *s)
{
	static const uint32_t start[8] = {
		0x6a09e667,
		0xbb67ae85,
		0x3c6ef372,
		0xa54ff53a,
		0x510e527f,
		0x9b05688c,
		0x1f83d9ab,
		0x5be0cd19,
	};

	memcpy(s->h, start, sizeof(start));
	s->len = 0;
	s->blocks = NULL;
}

/* Asking the processor is four CPUIDs. In a virtual machine each leaves it: up to 11 us, for which the plain
 * code hashes kilobytes. */
#define WORTH_ASKING 8192

static void do_blocks(struct sha256 *s, const unsigned char *p, size_t n)
{
	if (!s->blocks && s->len >= WORTH_ASKING)
		s->blocks = has_sha() ? blocks_sha : blocks_plain;
	(s->blocks ? s->blocks : blocks_plain)(s->h, p, n);
}

void sha256_add(struct sha256 *s, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	size_t held = s->len % 64;

	if (n == 0)
		return;
	s->len += n;
	if (held) {
		size_t some = n < 64 - held ? n : 64 - held;

		memcpy(s->block + held, p, some);
		if (held + some < 64)
			return;
		do_blocks(s, s->block, 1);
		p += some;
		n -= some;
	}
	do_blocks(s, p, n / 64);
	memcpy(s->block, p + n / 64 * 64, n % 64);
}

static void finish(struct sha256 *s, unsigned char out[32])
{
	uint64_t bits = s->len * 8;
	unsigned char tail[72] = {0x80};
	size_t pad = (s->len % 64 < 56 ? 56 : 120) - s->len % 64;

	for (int i = 0; i < 8; i++)
		tail[pad + (size_t)i] = (unsigned char)(bits >> (56 - 8 * i));
	sha256_add(s, tail, pad + 8);
	for (int i = 0; i < 32; i++)
		out[i] = (unsigned char)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}

void sha256_end_hex(struct sha256 *s, char out[SHA256_HEX + 1])
{
	static const char digits[] = "0123456789abcdef";
	unsigned char raw[32];

	finish(s, raw);
	for (int i = 0; i < 32; i++) {
		out[2 * i] = digits[raw[i] >> 4];
		out[2 * i + 1] = digits[raw[i] & 15];
	}
	out[SHA256_HEX] = '\0';
}

void sha256_hex(const void *bytes, size_t n, char out[SHA256_HEX + 1])
{
	struct sha256 s;

	sha256_init(&s);
	sha256_add(&s, bytes, n);
	sha256_end_hex(&s, out);
}
