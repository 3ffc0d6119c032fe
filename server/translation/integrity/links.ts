import { blanked, type Found } from './found.ts';

// A link ends at whitespace, a quotation mark, an angle or square bracket, a brace outside of a placeholder, or the
// first character beyond ASCII, because Chinese and Japanese do not put a space after a link. The parts of the pattern
// match disjoint characters, so there is no backtracking.
const url =
  /(?:(?:https?|ftps?|wss?|file|git|ssh):\/\/|mailto:|tel:|www\.)(?:[A-Za-z0-9\-._~:/?#@!$&*+,;=%()]|\{{1,2}[\w.]{1,60}\}{1,2})+/gi;
const afterWord = /[A-Za-z0-9]/;

/** A path or an anchor that is the destination of a Markdown link. */
const destination = /\]\(([./#][^\s()<>\0]{1,2000})/g;

const localPart = /[A-Za-z0-9._%+-]/;
const domain = /[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}/y;
const maxLocalPartLength = 64;

/** `link` without the punctuation and emphasis around it. */
function withoutTail(link: string): string {
  let end = link.length;
  let open = 0;
  for (let i = 0; i < end; i += 1) {
    if (link[i] === '(') open += 1;
    else if (link[i] === ')') {
      open -= 1;
      if (open < 0) {
        end = i;
        break;
      }
    }
  }
  while (end > 0 && '.,;:!?*_~&$('.includes(link[end - 1]!)) end -= 1;
  return link.slice(0, end);
}

function urls(text: string): Found[] {
  const found: Found[] = [];
  for (const match of text.matchAll(url)) {
    if (match.index > 0 && afterWord.test(text[match.index - 1]!)) continue;
    const span = withoutTail(match[0]);
    // A scheme without a host is not a link.
    if (!/[:.]\/{0,2}[^:/.]/.test(span)) continue;
    const scheme = /^[a-z]+:/i.exec(span)?.[0] ?? '';
    const key = scheme.toLowerCase() + span.slice(scheme.length).replace(/\/$/, '');
    found.push({ key, span, start: match.index, end: match.index + span.length });
  }
  for (const match of text.matchAll(destination)) {
    const span = match[1]!;
    const start = match.index + 2;
    found.push({ key: span, span, start, end: start + span.length });
  }
  return found;
}

/** Returns the email addresses in a `text` whose URLs have been blanked out. */
function addresses(text: string): Found[] {
  const found: Found[] = [];
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    let start = at;
    while (start > 0 && at - start < maxLocalPartLength && localPart.test(text[start - 1]!)) start -= 1;
    domain.lastIndex = at + 1;
    const host = domain.exec(text)?.[0].replace(/[.-]+$/, '');
    if (start === at || host === undefined || !host.includes('.')) continue;
    const span = text.slice(start, at + 1 + host.length);
    found.push({ key: span.toLowerCase(), span, start, end: at + 1 + host.length });
  }
  return found;
}

export interface Links {
  urls: Found[];
  addresses: Found[];
}

/** Returns the URLs, the relative destinations of Markdown links and the email addresses of a text. */
export function findLinks(text: string): Links {
  const found = urls(text);
  // An email address in a `mailto:` link or in the user part of a URL belongs to that link.
  return { urls: found, addresses: addresses(blanked(text, found)) };
}

/**
 * Returns the links of `target`. If a link differs from one in `source` only by the scheme, it gets the key of the link
 * in `source`: a link that became `https` is the same link.
 */
export function withSchemesOf(source: readonly Found[], target: readonly Found[]): Found[] {
  const known = new Set(source.map(({ key }) => key));
  return target.map((piece) => {
    const plain = piece.key.replace(/^(https|[\w: -]{1,200}=https):\/\//, (all) =>
      all.replace('https:', 'http:'),
    );
    return !known.has(piece.key) && known.has(plain) ? { ...piece, key: plain } : piece;
  });
}
