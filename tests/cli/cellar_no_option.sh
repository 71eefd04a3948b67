cellar --hlep; cellar help --hlep; cellar --completion=fish; cellar help a b
