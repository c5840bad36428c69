// A UMP 0.1 bot that wins when it can and otherwise discards what it draws. Standard library only: copy it.
//
//	go run bot.go localhost:19000 NAME
//
// The server speaks first. Each line is "<id> <command> [<argument> ...]"; an answer repeats the id of its question.
package main

import (
	"bufio"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

func fail(format string, values ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", values...)
	os.Exit(1)
}

func contains(words []string, wanted string) bool {
	for _, word := range words {
		if word == wanted {
			return true
		}
	}
	return false
}

func decoded(word string) string {
	text, err := url.PathUnescape(word)
	if err != nil {
		return word
	}
	return text
}

func answer(command string, words []string, name, drawn string) string {
	switch command {
	case "hello":
		return "hello ump=0.1 name=" + url.PathEscape(name) + " _offer=1"
	case "ready?":
		return "ok"
	case "sutehai?": // the legal actions follow: sute=1m2m tsumo richi=.. ankan=.. kakan=..
		if contains(words, "tsumo") {
			return "tsumo"
		}
		return "sute " + drawn + " tsumogiri"
	case "naku?": // the tile, then the legal actions: ron chi=2m3m pon=1m1m kan
		if contains(words, "ron") {
			return "ron"
		}
		return "no"
	case "tenpai?":
		return "yes"
	case "bye":
		return "bye"
	}
	return ""
}

func main() {
	address, name := "localhost:19000", "go"
	if len(os.Args) > 1 {
		address = os.Args[1]
	}
	if len(os.Args) > 2 {
		name = os.Args[2]
	}
	server, err := net.DialTimeout("tcp", address, 5*time.Second)
	if err != nil {
		fail("no connection to %s: %v", address, err)
	}
	var drawn string
	var names []string
	server.SetReadDeadline(time.Now().Add(5 * time.Second))
	lines := bufio.NewScanner(server)
	for lines.Scan() {
		server.SetReadDeadline(time.Time{})
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 {
			continue
		}
		if _, err := strconv.Atoi(fields[0]); err != nil || len(fields) < 2 {
			fail("%s does not speak UMP: %s", address, lines.Text())
		}
		command, words := fields[1], fields[2:]
		switch command {
		case "error":
			fail("the server says: %s", decoded(strings.Join(words, " ")))
		case "gamestart":
			names = words[1:]
		case "tsumo":
			if len(words) == 3 { // only own draws show the tile
				drawn = words[2]
			}
		case "gameend":
			results := []string{}
			for seat, points := range words {
				results = append(results, decoded(names[seat])+" "+points)
			}
			fmt.Println(strings.Join(results, ", "))
		}
		if said := answer(command, words, name, drawn); said != "" {
			fmt.Fprintf(server, "%s %s\r\n", fields[0], said)
		}
		if command == "bye" {
			return
		}
	}
	if err, ok := lines.Err().(net.Error); ok && err.Timeout() {
		fail("%s sends no hello; UMP is usually on port 19000", address)
	}
	fail("the server has closed the connection")
}
