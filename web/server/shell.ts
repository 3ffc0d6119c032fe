import { layoutKindNames } from '#server/formats/layout-kinds.ts';
import {
  charsPerPack,
  includedChars,
  maxPacks,
  type Tier,
  tierPrices,
  tiers,
} from '#server/platform/payments/tiers.ts';
import { isMailOn } from '#server/platform/smtp.ts';
import type { Settings } from '#server/settings.ts';
import type { Build } from './build.ts';
import { escapeHtml } from './html.ts';
import { directionOf, type Locale } from './locale.ts';
import type { Theme } from './theme.ts';

/**
 * Properties of the deployment that the application needs before its first request. They are public, because the source
 * of the page contains them.
 */
export interface Deployment {
  /** The path of the public URL, which a proxy removes from requests; empty if the public URL has no path. */
  basePath: string;
  /** Whether a visitor looks at the demo workspace. A visitor who is signed in is a member like others. */
  demo: boolean;
  passwordSignIn: boolean;
  emailSignUp: boolean;
  /** The name of the identity provider in URLs; null if single sign-on is off. */
  ssoProvider: string | null;
  /** Whether plans and prepaid characters can be bought. */
  billing: boolean;
  /** Whether translations need a plan or the free trial, even if none can be bought here. */
  needsPlan: boolean;
  /** The plans that are sold, smallest first, with their weighted characters per month. */
  plans: readonly { tier: Tier; monthly_chars: number }[];
  /** The size of a pack of prepaid characters, and the maximum number in one purchase; null if none are sold. */
  topUp: { chars: number; maxPacks: number } | null;
  storage: boolean;
  /** Whether the service sends emails. */
  mail: boolean;
  /** Whether a model is connected; without one, the stub engine runs. */
  liveEngine: boolean;
  maxSourceChars: number;
  /** Maximum number of translations in a batch, and of pages in a text file. */
  maxBatchItems: number;
  maxUploadBytes: number;
  /** The number of file formats whose layout is kept. */
  layoutFormats: number;
  /** The weight of a character if the source or target language has a dense script. */
  denseScriptWeight: number;
}

/** @param parts whether billing and a model are configured, and the name of the identity provider */
export function deploymentOf(
  settings: Settings,
  parts: Pick<Deployment, 'basePath' | 'billing' | 'liveEngine' | 'ssoProvider'>,
): Omit<Deployment, 'demo'> {
  const sold = tierPrices(settings);
  return {
    needsPlan: settings.BILLING_ENABLED,
    plans: tiers.filter((tier) => sold[tier]).map((tier) => ({ tier, monthly_chars: includedChars[tier] })),
    topUp: settings.STRIPE_PRICE_TOPUP === undefined ? null : { chars: charsPerPack, maxPacks },
    passwordSignIn: settings.PASSWORD_SIGNIN_ENABLED,
    emailSignUp: settings.EMAIL_SIGNUP_ENABLED,
    storage: settings.STORAGE_BINDING_ENABLED,
    mail: isMailOn(settings),
    maxSourceChars: settings.MAX_SOURCE_CHARS,
    maxBatchItems: settings.MAX_BATCH_ITEMS,
    maxUploadBytes: settings.MAX_UPLOAD_BYTES,
    layoutFormats: layoutKindNames.length,
    denseScriptWeight: settings.DENSE_SCRIPT_WEIGHT,
    ...parts,
  };
}

/**
 * The screen for a path of the application, by the name of its source file. Used to preload the files of the screen
 * before any script runs; the router in the browser then selects the screen.
 */
function screenAt(path: string): string {
  const [area = '', name, part, id] = path.split('/').slice(1);
  if (area !== 'app') return { signin: 'sign-in', jobs: 'job' }[area] ?? area;
  if (!name) return 'inbox';
  if (name === 'edit') return id ? 'document-editor' : 'texts-editor';
  if (name === 'settings') return part === 'operator' && id ? (operatorScreens[id] ?? id) : (part ?? name);
  const last = id ?? part ?? '';
  if (toolScreens.has(last)) return last;
  return (part ? itemScreens[name] : listScreens[name]) ?? name;
}

/** The screens for operators whose source file has another name than the path. */
const operatorScreens: Record<string, string> = { storage: 'platform-storage', workspaces: 'workspace' };

/** The screens whose source file has another name than the path. */
const listScreens: Record<string, string> = { files: 'documents', texts: 'jobs', reports: 'usage' };

/** The screens of tools for glossaries and TMs, by the last part of the path. */
const toolScreens: ReadonlySet<string> = new Set(['align', 'candidates', 'duplicates']);

/** The screens that show one item of a list, by the name of the list in the path. */
const itemScreens: Record<string, string> = {
  documents: 'document-editor',
  estimates: 'estimate',
  glossaries: 'glossary',
  memories: 'memory',
};

/**
 * Builds the page of the application. It contains the URLs of the files, and the properties of the deployment in a meta
 * element, because inline scripts are not allowed.
 * @param path the path of the request, without the path of the public URL
 * @param signedOut true if it is certain that the browser has no session; the application then does not try to renew
 * one
 */
export function shellPage(
  build: Build,
  deployment: Deployment,
  { path, locale, theme, signedOut }: { path: string; locale: Locale; theme: Theme; signedOut: boolean },
): string {
  const { basePath } = deployment;
  const at = (path: string) => escapeHtml(basePath + path);
  const { signIn, workspace, operator, styleGuides, audit, estimates, sets, usage, settings, work } =
    build.catalogs[locale];
  const ofScreen = [
    ...(path.startsWith('/app/settings/operator') ? [operator, usage] : []),
    ...(path === '/app/style-guides' ? [styleGuides] : []),
    ...(path === '/app/settings/audit' ? [audit] : []),
    ...(/^\/app\/estimates(\/|$)/.test(path) ? [estimates] : []),
    ...(/^\/app\/(glossaries|memories|concordance)(\/|$)/.test(path) ? [sets] : []),
    ...(/^\/(app\/(edit|estimates|files|texts|translate)|jobs)(\/|$)/.test(path) ? [work] : []),
    ...(path === '/app/reports' ? [usage] : []),
    ...(/^\/(billing|app\/settings\/(api-keys|storage|audit|operator.*))$/.test(path) ? [settings] : []),
  ];
  const words = signedOut ? [signIn] : [signIn, workspace, ...ofScreen];
  const screen = build.screens[screenAt(path)] ?? { scripts: [], styles: [] };
  const styles = [...build.first.styles, ...screen.styles]
    // React Aria adds its own style, which the policy refuses, unless the document has an element with this id.
    .map(
      (file, index) =>
        `<link rel="stylesheet"${index === 0 ? ' id="react-aria-pressable-style"' : ''} href="${at(file)}">`,
    )
    .join('\n');
  const preloads = [...build.first.scripts, ...screen.scripts, ...words]
    .map((file) => `<link rel="modulepreload" href="${at(file)}">`)
    .join('\n');
  const scripts = build.scripts.map((file) => `<script type="module" src="${at(file)}"></script>`).join('\n');
  const catalogs = Object.fromEntries(
    Object.entries(build.catalogs).map(([name, parts]) => [
      name,
      Object.fromEntries(Object.entries(parts).map(([part, file]) => [part, basePath + file])),
    ]),
  );
  return `<!doctype html>
<html lang="${locale}" dir="${directionOf(locale)}"${theme === 'system' ? '' : ` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${theme === 'system' ? 'light dark' : theme}">
<meta name="lingualoop" content="${escapeHtml(JSON.stringify({ ...deployment, catalogs, signedOut }))}">
<title>LinguaLoop</title>
<link rel="icon" href="${at('/static/icon.svg')}" type="image/svg+xml">
${styles}
${preloads}
${scripts}
</head>
<body>
<div id="app"></div>
<noscript>LinguaLoop needs JavaScript here. The API does not: see <a href="${at('/docs')}">/docs</a>.</noscript>
</body>
</html>
`;
}

/** Builds the page of the frame that shows Word files. @param script the URL of the frame's script */
export function previewPage(script: string): string {
  return `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta name="color-scheme" content="light">
<title>LinguaLoop</title>
<script type="module" crossorigin src="${escapeHtml(script)}"></script>
</head>
<body></body>
</html>
`;
}
