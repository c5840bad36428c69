// Starts the service worker, where a browser has them and the connection is safe; its address is the only one.

const ADDRESS = "/worker.js";

async function start() {
  const policy = globalThis.trustedTypes?.createPolicy("worker", { createScriptURL: () => ADDRESS });
  try {
    await navigator.serviceWorker.register(policy?.createScriptURL("") ?? ADDRESS);
  } catch {
    // a private window may refuse it; nothing depends on it
  }
}

if ("serviceWorker" in navigator) start();
