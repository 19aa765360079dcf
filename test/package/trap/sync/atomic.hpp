// A header of the user's own, in a folder named as one of ours. Nobody of weft may find it.
#error "weft takes a header of its user for its own"
