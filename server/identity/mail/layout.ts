/** A mail without its layout. All texts are plain. */
export interface MailParts {
  language: string;
  direction: 'ltr' | 'rtl';
  heading: string;
  /** Paragraphs of words, and of names and other values that may have another direction. */
  paragraphs: readonly Run[][];
  action: { name: string; url: string };
  /** The sentence before the URL of the action. */
  link: string;
  footer: readonly Run[][];
  unsubscribe: { name: string; url: string } | null;
}

/** A piece of a paragraph. A value is isolated, so that its direction does not change that of the words around it. */
export interface Run {
  text: string;
  isValue: boolean;
}

/** The version of a mail without HTML. */
export function textOf({ paragraphs, action, footer, unsubscribe }: MailParts): string {
  const text = (runs: Run[]) => runs.map((run) => run.text).join('');
  return [
    ...paragraphs.map(text),
    `${action.name}:\n${action.url}`,
    `-- \n${footer.map(text).join('\n')}`,
    ...(unsubscribe ? [`${unsubscribe.name}:\n${unsubscribe.url}`] : []),
    '',
  ].join('\n\n');
}

/** The colors of the interface in its two themes: canvas, surface, line, ink, weaker ink, accent, text on accent. */
const light = ['#f6f4ef', '#fffefb', '#e4dfd4', '#1a2325', '#5c6562', '#0a6470', '#ffffff'] as const;
const dark = ['#0f1516', '#151d1e', '#253132', '#e9eeec', '#8e9c9a', '#5cc3c8', '#06282c'] as const;

const [canvas, surface, line, ink, weak, accent, onAccent] = light;
const font = `-apple-system,'Segoe UI',Roboto,'Noto Sans','Hiragino Sans',Arial,sans-serif`;

/**
 * The HTML version of a mail: one column, with colors for both themes. It loads nothing: no image, font or style sheet.
 * Programs that ignore the style element show the light theme.
 */
export function htmlOf(mail: MailParts): string {
  const { language, direction, heading, paragraphs, action, link, footer, unsubscribe } = mail;
  const [darkCanvas, darkSurface, darkLine, darkInk, darkWeak, darkAccent, darkOnAccent] = dark;
  const url = escapeHtml(action.url);
  return `<!doctype html>
<html lang="${escapeHtml(language)}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(heading)}</title>
<style>
:root { color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
.canvas { background: ${darkCanvas} !important; }
.card { background: ${darkSurface} !important; border-color: ${darkLine} !important; }
.ink { color: ${darkInk} !important; }
.weak { color: ${darkWeak} !important; }
.accent { color: ${darkAccent} !important; }
.button { background: ${darkAccent} !important; color: ${darkOnAccent} !important; }
}
</style>
</head>
<body class="canvas" style="margin:0;padding:24px 12px;background:${canvas};font-family:${font}">
<div class="card" role="article" aria-label="${escapeHtml(heading)}" lang="${escapeHtml(language)}" dir="${direction}" style="max-width:520px;margin:0 auto;padding:24px;background:${surface};border:1px solid ${line};border-radius:12px">
<p class="accent" translate="no" style="margin:0 0 16px;font-size:15px;font-weight:600;color:${accent}">LinguaLoop</p>
<h1 class="ink" style="margin:0 0 12px;font-size:22px;line-height:1.3;font-weight:600;overflow-wrap:anywhere;color:${ink}">${escapeHtml(heading)}</h1>
${paragraphs.map((runs) => paragraph(runs, 'ink', 15, ink)).join('\n')}
<p style="margin:20px 0"><a class="button" href="${url}" style="display:inline-block;padding:10px 18px;border-radius:8px;font-size:15px;font-weight:600;text-decoration:none;background:${accent};color:${onAccent}">${escapeHtml(action.name)}</a></p>
<p class="weak" style="margin:0 0 4px;font-size:13px;line-height:1.5;color:${weak}">${escapeHtml(link)}</p>
<p style="margin:0 0 20px;font-size:13px;line-height:1.5;overflow-wrap:anywhere"><a class="accent" dir="ltr" href="${url}" style="color:${accent}">${url}</a></p>
<div class="card" style="border-top:1px solid ${line};padding-top:16px;background:${surface}">
${footer.map((runs) => paragraph(runs, 'weak', 13, weak)).join('\n')}
${unsubscribe ? `<p style="margin:0;font-size:13px"><a class="accent" href="${escapeHtml(unsubscribe.url)}" style="color:${accent}">${escapeHtml(unsubscribe.name)}</a></p>` : ''}
</div>
</div>
</body>
</html>
`;
}

function paragraph(runs: Run[], className: string, size: number, color: string): string {
  const content = runs.map(({ text, isValue }) =>
    isValue ? `<bdi>${escapeHtml(text)}</bdi>` : escapeHtml(text),
  );
  return `<p class="${className}" style="margin:0 0 12px;font-size:${size}px;line-height:1.55;overflow-wrap:anywhere;color:${color}">${content.join('')}</p>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
