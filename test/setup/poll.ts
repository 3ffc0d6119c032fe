/** Calls `look` repeatedly until it returns a truthy value, for at most `seconds`. */
export async function poll<T>(look: () => Promise<T | undefined | false | null>, seconds = 60): Promise<T> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`nothing came within ${seconds} s`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
