t enroot import http://x/y
t enroot digest dockerd://x
t enroot digest x
t enroot load dockerd://x
t enroot load -n a/b docker://x
t enroot load x
