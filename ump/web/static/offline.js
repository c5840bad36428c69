// The page in place of any other while the server cannot be reached. It comes back by itself.

import "./preferences.js"; // sets the theme
import { chosenWords, translate } from "./words/languages.js";

const PERIOD = 3000; // milliseconds between two looks for the server

async function look() {
  const response = await fetch("/api/lobby", { cache: "no-store" }).catch(() => null);
  if (response !== null && response.status < 500) location.reload();
}

translate(chosenWords());
document.getElementById("again").onclick = () => location.reload();
addEventListener("online", look);
setInterval(look, PERIOD);
document.body.dataset.ready = "true";
