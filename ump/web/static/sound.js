// Sounds that are made on the spot: no files. Browsers let none be heard before the first gesture.

import { preference } from "./preferences.js";

let context = null;

/** Returns the audio context, or null if nothing shall be heard. */
export function started() {
  if (!preference("volume") || typeof AudioContext === "undefined" || !navigator.userActivation?.hasBeenActive) return null;
  context ??= new AudioContext();
  if (context.state === "suspended") context.resume();
  return context;
}

// The first gesture starts the audio context, which takes a while, so that the first discard need not.
for (const gesture of ["pointerdown", "keydown"]) addEventListener(gesture, started, { once: true });

/** A tile on cloth: a short burst of noise through a band, and the wood below it. */
function clack(pitch, level = 1) {
  const audio = started();
  if (audio === null) return;
  const buffer = audio.createBuffer(1, audio.sampleRate * 0.05, audio.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let place = 0; place < samples.length; place += 1) samples[place] = (Math.random() * 2 - 1) * (1 - place / samples.length) ** 6;
  const noise = new AudioBufferSourceNode(audio, { buffer });
  const band = new BiquadFilterNode(audio, { type: "bandpass", frequency: 2300 * pitch, Q: 1.4 });
  const gain = new GainNode(audio, { gain: 0.9 * level * preference("volume") });
  gain.gain.exponentialRampToValueAtTime(0.0001, audio.currentTime + 0.06);
  noise.connect(band).connect(gain).connect(audio.destination);
  noise.start();
  tone(190 * pitch, 0.05, 0.25 * level, { type: "sine" });
}

function tone(frequency, length, level, { type = "triangle", delay = 0 } = {}) {
  const audio = started();
  if (audio === null) return;
  const from = audio.currentTime + delay;
  const source = new OscillatorNode(audio, { type, frequency });
  const gain = new GainNode(audio, { gain: 0.0001 });
  gain.gain.setValueAtTime(0.0001, from);
  gain.gain.exponentialRampToValueAtTime(level * preference("volume"), from + 0.008);
  gain.gain.exponentialRampToValueAtTime(0.0001, from + length);
  source.connect(gain).connect(audio.destination);
  source.start(from);
  source.stop(from + length + 0.02);
}

/** What is heard, by what happens. */
export const SOUNDS = {
  draw: () => clack(1.6, 0.5),
  discard: () => clack(1),
  call: () => {
    tone(523, 0.1, 0.25);
    tone(784, 0.14, 0.25, { delay: 0.07 });
  },
  riichi: () => {
    clack(0.7);
    tone(392, 0.5, 0.2, { type: "sine" });
    tone(587, 0.6, 0.2, { type: "sine", delay: 0.09 });
  },
  win: () => [523, 659, 784, 1047].forEach((frequency, place) => tone(frequency, 0.4, 0.22, { delay: place * 0.09 })),
  summon: () => [659, 988, 659, 988].forEach((frequency, place) => tone(frequency, 0.22, 0.3, { delay: place * 0.17 })),
  turn: () => tone(880, 0.09, 0.16, { type: "sine" }),
  hurry: () => tone(1200, 0.05, 0.2, { type: "square" }),
};
