"""Read and write the JSON of tenhou.net/6, the log viewer and editor that analysers take their games from."""
