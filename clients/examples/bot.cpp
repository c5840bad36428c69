// A UMP 0.1 bot that wins when it can and otherwise discards what it draws. Standard library and sockets: copy it.
//   g++ -std=c++17 -O2 -o bot bot.cpp && ./bot localhost:19000 NAME
// The server speaks first. Each line is "<id> <command> [<argument> ...]"; an answer repeats the id of its question.
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using Words = std::vector<std::string>;

[[noreturn]] void fail(const std::string& text) {
    std::cerr << text << std::endl;
    std::exit(1);
}

std::string encoded(const std::string& text) {
    std::string word;
    char escape[4];
    for (unsigned char byte : text) {
        if (std::isalnum(byte)) { word += static_cast<char>(byte); continue; }
        std::snprintf(escape, sizeof escape, "%%%02X", byte);
        word += escape;
    }
    return word;
}

std::string decoded(const std::string& word) {
    std::string text;
    for (size_t at = 0; at < word.size(); ++at) {
        if (word[at] != '%' || at + 2 >= word.size()) { text += word[at]; continue; }
        text += static_cast<char>(std::strtol(word.substr(at + 1, 2).c_str(), nullptr, 16));
        at += 2;
    }
    return text;
}

int connected(const std::string& address) {
    const size_t colon = address.rfind(':');
    addrinfo hints{}, *found = nullptr;
    hints.ai_socktype = SOCK_STREAM;
    if (colon == std::string::npos || getaddrinfo(address.substr(0, colon).c_str(), address.c_str() + colon + 1, &hints, &found))
        fail("no connection to " + address + ": unknown address");
    for (addrinfo* each = found; each; each = each->ai_next) {
        const int handle = socket(each->ai_family, each->ai_socktype, each->ai_protocol);
        if (handle >= 0 && connect(handle, each->ai_addr, each->ai_addrlen) == 0) return handle;
        close(handle);
    }
    fail("no connection to " + address);
}

std::string answer(const std::string& command, const Words& words, const std::string& name, const std::string& drawn) {
    const auto offers = [&](const char* word) { return std::find(words.begin(), words.end(), word) != words.end(); };
    if (command == "hello") return "hello ump=0.1 name=" + encoded(name) + " _offer=1";
    if (command == "ready?") return "ok";
    if (command == "sutehai?") return offers("tsumo") ? "tsumo" : "sute " + drawn + " tsumogiri"; // also: richi=.. ankan=..
    if (command == "naku?") return offers("ron") ? "ron" : "no"; // also: chi=2m3m pon=1m1m kan
    if (command == "tenpai?") return "yes";
    return command == "bye" ? "bye" : "";
}

int main(int count, char** arguments) {
    const std::string address = count > 1 ? arguments[1] : "localhost:19000", name = count > 2 ? arguments[2] : "cpp";
    const int server = connected(address), on = 1;
    timeval patience{5, 0};
    setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(server, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    std::string unread, drawn;
    Words names;
    char data[4096];
    for (bool greeted = false;; greeted = true) {
        const ssize_t got = recv(server, data, sizeof data, 0);
        if (got <= 0) fail(greeted || got == 0 ? "the server has closed the connection" : address + " sends no hello; UMP is usually on port 19000");
        patience = {0, 0};  // from now on wait for ever
        setsockopt(server, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        unread.append(data, got);
        for (size_t end; (end = unread.find('\n')) != std::string::npos; unread.erase(0, end + 1)) {
            std::istringstream line(unread.substr(0, end));
            std::string id, command, word;
            Words words;
            if (!(line >> id >> command) || !std::all_of(id.begin(), id.end(), ::isdigit))
                fail(address + " does not speak UMP: " + unread.substr(0, end));
            while (line >> word) words.push_back(word);
            if (command == "error") fail("the server says: " + (words.empty() ? "" : decoded(words[0])));
            if (command == "gamestart") names.assign(words.begin() + 1, words.end());
            if (command == "tsumo" && words.size() == 3) drawn = words[2];  // only own draws show the tile
            if (command == "gameend")
                for (size_t seat = 0; seat < words.size() && seat < names.size(); ++seat)
                    std::cout << (seat ? ", " : "") << decoded(names[seat]) << ' ' << words[seat] << (seat + 1 < words.size() ? "" : "\n");
            const std::string said = answer(command, words, name, drawn);
            const std::string sent = id + ' ' + said + "\r\n";
            if (!said.empty() && send(server, sent.data(), sent.size(), MSG_NOSIGNAL) < 0) fail("the connection is lost");
            if (command == "bye") return 0;
        }
    }
}
