/**
 * The same object with some of its members replaced. It is still the object behind it that does the rest, so this works for a class
 * with private fields, too, where a copy would lose them.
 */
export function overriding<T extends object>(target: T, changes: Partial<T>): T {
  const own = new Map<PropertyKey, unknown>(Object.entries(changes));
  return new Proxy(target, {
    get(from, name) {
      if (own.has(name)) return own.get(name);
      const value: unknown = Reflect.get(from, name, from);
      return typeof value === 'function' ? (value.bind(from) as unknown) : value;
    },
  });
}
