export function riskFlags(_: { sourceText: string }): string[] {
  return [];
}
