/** Images of releases before the log sort by who wrote them, then by their count: the newest is the one to read. */
export interface ImageId {
  readonly generation: number;
  readonly seq: number;
}

const imageName = /^agent-mascot-(\d{1,15})-(\d{1,15})\.sqlite$/;
/** As the first releases called them; older than every other. */
const firstNames: Readonly<Record<string, ImageId>> = {
  'agent-mascot.sqlite': { generation: 0, seq: 2 },
  'agent-mascot.backup.sqlite': { generation: 0, seq: 1 },
};

export function parseImageName(name: string): ImageId | undefined {
  const match = imageName.exec(name);
  return match ? { generation: Number(match[1]), seq: Number(match[2]) } : firstNames[name];
}

export interface NamedImage extends ImageId {
  readonly name: string;
}

export function newestFirst(names: readonly string[]): readonly NamedImage[] {
  const images = names.flatMap((name) => {
    const id = parseImageName(name);
    return id ? [{ name, ...id }] : [];
  });
  return images.sort((a, b) => compareImages(b, a));
}

export function compareImages(a: ImageId, b: ImageId): number {
  return a.generation - b.generation || a.seq - b.seq;
}
