import { ContentScanner } from './reading/content-scanner.ts';

/**
 * Encloses a content stream so that it does not affect later content: saves and restores the graphics state, and closes
 * open text objects and marked content. The stream may have more restores than saves, or more saves than restores. Its
 * bytes stay the same, except that bytes after the last operator are dropped, such as a string without an end.
 */
export function enclose(content: Uint8Array): Uint8Array {
  const scanner = new ContentScanner(content);
  let depth = 0;
  let lowest = 0;
  let marked = 0;
  let isText = false;
  while (scanner.next()) {
    switch (scanner.operator) {
      case 'q':
        depth++;
        break;
      case 'Q':
        depth--;
        lowest = Math.min(lowest, depth);
        break;
      case 'BT':
        isText = true;
        break;
      case 'ET':
        isText = false;
        break;
      case 'BMC':
      case 'BDC':
        marked++;
        break;
      case 'EMC':
        if (marked > 0) marked--;
        break;
    }
  }
  const whole = content.subarray(0, scanner.end);
  // One save more than there are unmatched restores, so that these restores cannot restore an outer state.
  const saves = 1 - lowest;
  const end = (isText ? 'ET\n' : '') + 'EMC\n'.repeat(marked) + 'Q\n'.repeat(saves + depth);
  return Buffer.concat([Buffer.from('q\n'.repeat(saves)), whole, Buffer.from(`\n${end}`)]);
}
