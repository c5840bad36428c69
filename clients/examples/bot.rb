#!/usr/bin/env ruby
# A UMP 0.1 bot that wins when it can and otherwise discards what it draws. Standard library only: copy it.
#   ruby bot.rb localhost:19000 NAME
# The server speaks first. Each line is "<id> <command> [<argument> ...]"; an answer repeats the id of its question.
require "io/wait"
require "socket"
require "uri"

address, name = ARGV[0] || "localhost:19000", ARGV[1] || "ruby"
host, _, port = address.rpartition(":")
drawn = ""
names = []

begin
  server = Socket.tcp(host.delete("[]"), Integer(port), connect_timeout: 5)
rescue SystemCallError, SocketError, ArgumentError => error
  abort "no connection to #{address}: #{error.message}"
end
server.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, 1)
server.wait_readable(5) || abort("#{address} sends no hello; UMP is usually on port 19000")

while (line = server.gets)
  id, command, *words = line.split
  abort "#{address} does not speak UMP: #{line.strip}" unless id =~ /\A\d+\z/ && command
  answer =
    case command
    when "hello" then "hello ump=0.1 name=#{URI.encode_www_form_component(name).gsub('+', '%20')} _offer=1"
    when "ready?" then "ok"
    when "sutehai?" # the legal actions follow: sute=1m2m tsumo richi=.. ankan=.. kakan=..
      words.include?("tsumo") ? "tsumo" : "sute #{drawn} tsumogiri"
    when "naku?" # the tile, then the legal actions: ron chi=2m3m pon=1m1m kan
      words.include?("ron") ? "ron" : "no"
    when "tenpai?" then "yes"
    when "bye" then "bye"
    end
  case command
  when "error" then abort "the server says: #{URI.decode_www_form_component(words[0].to_s)}"
  when "gamestart" then names = words.drop(1).map { |word| URI.decode_www_form_component(word) }
  when "tsumo" then drawn = words[2] || drawn # only own draws show the tile
  when "gameend" then puts names.zip(words).map { |who, points| "#{who} #{points}" }.join(", ")
  end
  server.write("#{id} #{answer}\r\n") if answer
  exit if command == "bye"
end
abort "the server has closed the connection"
