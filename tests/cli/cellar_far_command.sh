cellar zzzzzz
