// Of the functions that a program calls.
#pragma once

#define SWITCHYARD_EXPORTED extern "C" [[gnu::visibility("default")]]
