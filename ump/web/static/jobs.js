// Asks the server for what it makes of a record, which takes its turn: a replay, a conversion.

const later = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));

/**
 * Returns the text that a path answers with; throws an Error with what the server says otherwise. Until then it calls
 * onWait with the number of jobs that come first, null if that is not known.
 */
export async function madeText(path, options, onWait) {
  const headers = { Prefer: "respond-async" };
  let [at, how] = [path, { ...options, headers }];
  for (let wait = null; ; ) {
    onWait(wait);
    const answer = await fetch(at, how);
    const text = await answer.text();
    if (answer.status === 202) {
      wait = JSON.parse(text).ahead;
      const next = answer.headers.get("Location");
      if (next !== null) [at, how] = [next, { headers }];
    } else if (answer.status === 503 && answer.headers.has("Retry-After")) {
      wait = null;
      await later(Number(answer.headers.get("Retry-After")) * (1 + Math.random()));
    } else if (answer.ok) {
      return text;
    } else {
      throw new Error(text.trim());
    }
  }
}
