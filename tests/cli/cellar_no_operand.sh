cellar
