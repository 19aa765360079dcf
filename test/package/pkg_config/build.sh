c++ -std=c++20 ../program.cpp -o program $(pkg-config --cflags --libs weft)
cc ../program.c -o program_in_c $(pkg-config --cflags --libs weft-threadpool)
