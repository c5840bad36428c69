// Which tasks of the course are solved: the browser keeps it, and for a user who has logged in the server, too.

import { aboutAccount, askAboutAccount } from "./guest.js";

const KEPT = "ump-lessons";

/** Returns the names of the solved tasks, as in tiles/0. */
export function solvedTasks() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
    return new Set(Array.isArray(kept) ? kept.filter((each) => typeof each === "string") : []);
  } catch {
    return new Set();
  }
}

/** Adds solved tasks to those that the browser keeps. */
function keep(tasks) {
  const all = new Set([...solvedTasks(), ...tasks]);
  try {
    localStorage.setItem(KEPT, JSON.stringify([...all]));
  } catch { /* the browser keeps nothing */ }
  return all;
}

/** Notes that a task is solved. */
export function solve(task) {
  keep([task]);
  shareWithAccount();
}

/** Tells the server what a user has solved with this browser, and returns what is solved with any. */
export async function shareWithAccount() {
  const account = await aboutAccount();
  if (!account?.user) return solvedTasks();
  try {
    const response = await askAboutAccount("lessons", { tasks: [...solvedTasks()] });
    return response.ok ? keep((await response.json()).tasks) : solvedTasks();
  } catch {
    return solvedTasks();
  }
}
