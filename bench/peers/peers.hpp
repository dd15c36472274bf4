// What a peer is: a function that names its ways of doing a case, none when it cannot.
#pragma once

#include "../contender.hpp"

using Peer = std::vector<Entry>(const World& world, const Case& what);

Peer fftw_serial, fftw_threads, fftw_mpi, spfft_mpi, spfft_sphere, heffte_mpi;
