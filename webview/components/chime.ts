/** Two notes, a third apart. */
const notes = [
  { hertz: 659.26, after: 0 },
  { hertz: 523.25, after: 0.14 },
] as const;
const NOTE_S = 0.24;
const LOUDNESS = 0.08;

/** So long an audio device may take to start; played later it would tell nothing. */
const START_MS = 300;

/** A soft sound, once. Where the page may not make one there is none; nothing of it stays. */
export function chime(): void {
  const audio = openAudio();
  if (audio === undefined) return;
  const late = setTimeout(() => close(audio), START_MS);
  const begin = () => {
    if (audio.state !== 'running') return;
    audio.removeEventListener('statechange', begin);
    clearTimeout(late);
    play(audio);
  };
  audio.addEventListener('statechange', begin);
  begin();
}

function openAudio(): AudioContext | undefined {
  try {
    return new AudioContext();
  } catch {
    return undefined;
  }
}

function play(audio: AudioContext): void {
  for (const { hertz, after } of notes) {
    const from = audio.currentTime + after;
    const tone = new OscillatorNode(audio, { type: 'sine', frequency: hertz });
    const volume = new GainNode(audio, { gain: 0 });
    volume.gain.setValueAtTime(0, from);
    volume.gain.linearRampToValueAtTime(LOUDNESS, from + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.0001, from + NOTE_S);
    tone.connect(volume).connect(audio.destination);
    tone.start(from);
    tone.stop(from + NOTE_S);
    if (after > 0) tone.addEventListener('ended', () => close(audio));
  }
}

function close(audio: AudioContext): void {
  void audio.close().catch(() => undefined);
}
