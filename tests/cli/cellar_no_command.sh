cellar hepl
