/**
 * `text` between the outer whitespace of `original`: what stands around a text is layout, which no model is trusted
 * with. An original of whitespace only comes back as it is.
 */
export function keepOuterSpace(original: string, text: string): string {
  const start = original.length - original.trimStart().length;
  if (start === original.length) return original;
  return original.slice(0, start) + text.trim() + original.slice(original.trimEnd().length);
}
