// Catch2's version 2 wants its main defined in one place; version 3 brings it along.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
