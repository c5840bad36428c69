// The words of calls, spoken: a hum through three bands for vowels and n, and noise through one for consonants. No files.

import { preference } from "./preferences.js";
import { started } from "./sound.js";

const FORMANTS = { a: [780, 1250, 2600], i: [290, 2250, 3000], u: [340, 1350, 2400], o: [470, 850, 2500], n: [260, 1150, 2300] };
const LEVELS = [1, 0.55, 0.25]; // of the bands
const NASAL = [0.8, 0.12, 0.05];
const NOISES = { c: [4200, 0.9], s: [6200, 0.8], p: [900, 0.5], k: [1900, 0.6] }; // the band of each, and how loud
const GLIDE = 0.018; // seconds from one sound to the next, about
const PITCH = [215, 150]; // at the beginning and at the end
const LEVEL = 2.2;

/** Each sound of a word with its seconds; "-" is a silence before a stop. */
const WORDS = {
  chi: [["c", 0.09], ["i", 0.26]],
  pon: [["p", 0.025], ["o", 0.15], ["n", 0.2]],
  kan: [["k", 0.045], ["a", 0.16], ["n", 0.2]],
  riichi: [["r", 0.03], ["i", 0.28], ["-", 0.05], ["c", 0.09], ["i", 0.2]],
  ron: [["r", 0.03], ["o", 0.17], ["n", 0.22]],
  tsumo: [["s", 0.08], ["u", 0.1], ["n", 0.07], ["o", 0.26]],
};

/** Speaks the word of a call, if there is one and the player wants to hear it. */
export function speak(word, audio = started()) {
  const sounds = WORDS[word];
  if (sounds === undefined || audio === null || !preference("voice")) return;
  const from = audio.currentTime + 0.02;
  const voice = hum(audio, from, sounds.reduce((sum, [, seconds]) => sum + seconds, 0));
  let at = from;
  for (const [sound, seconds] of sounds) {
    if (sound in NOISES) hiss(audio, NOISES[sound], at, seconds);
    form(voice, sound, at);
    at += seconds;
  }
  voice.loudness.gain.setTargetAtTime(0, at - 0.03, 0.03);
}

/** Starts the hum behind all vowels of a word; returns its bands and its loudness. */
function hum(audio, from, seconds) {
  const source = new OscillatorNode(audio, { type: "sawtooth", frequency: PITCH[0] });
  source.frequency.setValueAtTime(PITCH[0], from);
  source.frequency.linearRampToValueAtTime(PITCH[1], from + seconds);
  const loudness = new GainNode(audio, { gain: 0 });
  const bands = LEVELS.map(() => {
    const filter = new BiquadFilterNode(audio, { type: "bandpass", Q: 7 });
    const gain = new GainNode(audio, { gain: 0 });
    source.connect(filter).connect(gain).connect(loudness);
    return { filter, gain };
  });
  loudness.connect(audio.destination);
  source.start(from);
  source.stop(from + seconds + 0.2);
  return { bands, loudness };
}

/** Lets the hum become a sound at an instant: a vowel, n, or nothing during a consonant. */
function form({ bands, loudness }, sound, at) {
  const formants = FORMANTS[sound];
  loudness.gain.setTargetAtTime(formants === undefined ? 0 : LEVEL * preference("volume"), at, GLIDE / 2);
  if (formants === undefined) return;
  const levels = sound === "n" ? NASAL : LEVELS;
  bands.forEach(({ filter, gain }, place) => {
    filter.frequency.setTargetAtTime(formants[place], at, GLIDE);
    gain.gain.setTargetAtTime(levels[place], at, GLIDE);
  });
}

/** A burst of noise in a band. */
function hiss(audio, [frequency, level], at, seconds) {
  const buffer = audio.createBuffer(1, Math.ceil(audio.sampleRate * seconds), audio.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let place = 0; place < samples.length; place += 1) samples[place] = Math.random() * 2 - 1;
  const gain = new GainNode(audio, { gain: 0 });
  gain.gain.setValueAtTime(level * preference("volume"), at);
  gain.gain.exponentialRampToValueAtTime(0.001, at + seconds);
  const source = new AudioBufferSourceNode(audio, { buffer });
  source.connect(new BiquadFilterNode(audio, { type: "bandpass", frequency, Q: 1.2 })).connect(gain).connect(audio.destination);
  source.start(at);
}
