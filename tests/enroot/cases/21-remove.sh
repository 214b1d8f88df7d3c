enroot create -n a box.sqsh 2>/dev/null
enroot create -n b box.sqsh 2>/dev/null
t enroot remove a <<<n
t enroot remove a <<<yes
t enroot remove a <<<""
t enroot remove a </dev/null
t enroot list
t enroot remove a <<<y
t enroot list
t enroot remove b <<<Y
t enroot list
enroot create -n a box.sqsh 2>/dev/null
enroot create -n b box.sqsh 2>/dev/null
enroot create -n c box.sqsh 2>/dev/null
t enroot remove a b c <<<$'y\nn\ny'
t enroot list
ENROOT_FORCE_OVERRIDE=y t enroot remove b
t enroot list
