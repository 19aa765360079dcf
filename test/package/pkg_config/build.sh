c++ -std=c++20 ../program.cpp -o program $(pkg-config --cflags --libs weft)
c++ -std=c++20 ../lab.cpp -o lab $(pkg-config --cflags --libs weft-lab)
cc ../program.c -o program_in_c $(pkg-config --cflags --libs weft-threadpool)
