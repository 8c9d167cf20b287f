// The descriptors 0 to 2 of a program that was started without them, as daemons are. A file or a
// socket of the agent's, or of ddm's, that got one of these numbers would receive what the program
// prints.
#pragma once

namespace ddm {

// Fills those that are closed with descriptors that refuse reading and writing as closed ones do
// (EBADF), and that no child inherits. Call before anything else is opened.
void fill_standard_descriptors();

}  // namespace ddm
