t enroot
t enroot nonsense
t enroot help
t enroot help start
t enroot --help
t enroot -h
t enroot version
t enroot version more words
t enroot version -h
for verb in batch bundle create digest exec export import info list load remove start; do
	t enroot $verb -h
	t enroot $verb --help
	t enroot $verb --nonsense
	[ $verb = info ] || [ $verb = list ] || t enroot $verb --
done
