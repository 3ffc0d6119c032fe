import { spawn } from 'node:child_process';
import { appendFileSync, writeFileSync, existsSync, openSync } from 'node:fs';
import { startFakeOpenAi, translatingReply } from '/work/wt/engsc/test/fakes/openai.ts';
import { startTranslator } from '/work/wt/engsc/test/fakes/translators.ts';
import { startService } from '/work/wt/engsc/test/setup/service.ts';
const chat = await startFakeOpenAi();
const deepl = await startTranslator('deepl');
chat.otherwise(translatingReply({ translate: (t) => `Hier steht die Übersetzung: ${t}`, latencyMs: 60 }));
deepl.translateWith((t) => `Hier steht die Übersetzung: ${t}`);
export const env: Record<string,string> = {
  DATA_DIR: '/tmp/engsc-data', HOST: '127.0.0.1', AUTH_RATE_LIMIT_ENABLED: 'false', LOG_LEVEL: 'info', OPENAI_API_KEY: 'sk-fake', OPENAI_BASE_URL: chat.baseUrl, OPENAI_EMBEDDING_MODEL: 'none', OPENAI_MAX_RETRIES: '1',
  ENGINES: JSON.stringify({ engines: { deepl: { kind: 'deepl', api_key: 'k', url: deepl.url }, apertium: { kind: 'apertium', url: 'http://127.0.0.1:2747' } }, routes: [ { from: ['en'], to: ['de'], use: ['deepl', 'openai'] }, { from: ['en'], to: ['es'], use: ['apertium', 'openai'] } ] }),
};
const node = process.execPath;
export function launch(script: string, port: string, args: string[] = []) {
  const out = openSync(`/tmp/engsc/${script.replaceAll('/', '-')}.log`, 'a');
  const child = spawn(node, ['--max-semi-space-size=8', script, ...args], { cwd: '/work/wt/engsc', env: { PATH: process.env.PATH!, PORT: port, ...env }, stdio: ['ignore', out, out] });
  return child;
}
const apy = spawn('apertium-apy', ['-p', '2747', '-j', '1', '/usr/share/apertium'], { stdio: 'ignore' });
const base = 'http://127.0.0.1:4712';
const sleep = (ms: number) => new Promise((r) => setTimeout(r, ms));
let api = launch('server/main.ts', '4712', ['--api-only']);
let worker = launch('workers/main.ts', '0');
const up = async () => { for (;;) { try { if ((await fetch(base + '/api/health')).status < 500) return; } catch {} await sleep(300); } };
process.on('exit', () => { apy.kill(); api.kill('SIGKILL'); worker.kill('SIGKILL'); });
await up(); console.log('up');

import { LinguaLoop } from '/work/wt/engsc/sdk/src/client.ts';
import { Document, Packer, Paragraph, TextRun } from 'docx';
const connect = async (size: string) => {
  const client = new LinguaLoop({ baseUrl: base } as never);
  await client.auth.signIn({ email: `ada@${size}.example`, password: 'a long enough passphrase' } as never);
  return client;
};
const say = (...a: unknown[]) => console.log(new Date().toISOString().slice(11, 19), ...a);
const mine = await connect('small'); const theirs = await connect('medium');
say('signed in', (await mine.auth.me()).user?.email);
const secrets = new Set<string>();
const hide = (s: string) => (secrets.add(s), s);
// 20,000 terms are refused
const tooMany = await mine.tenants.setSecurityPolicy({ redaction: { kinds: [], terms: Array.from({ length: 20000 }, (_, i) => `term ${i}`) } } as never).catch((e: any) => `${e.status} ${JSON.stringify(e.detail ?? e.message).slice(0, 200)}`);
say('20000 terms', tooMany);
for (const [name, rules] of [['nul', { kinds: [], terms: ['a\u0000b'] }], ['pattern nul', { kinds: [], patterns: ['a\u0000b'] }], ['lone surrogate', { kinds: [], terms: ['\ud800x'] }], ['catastrophic', { kinds: [], patterns: ['(a+)+$'] }], ['huge repeat', { kinds: [], patterns: ['((x{1,100}){1,100}){1,9}'] }], ['lookbehind', { kinds: [], patterns: ['(?<=a)b'] }], ['wide', { kinds: [], patterns: ['.+'] }]] as const)
  say(name, await mine.tenants.setSecurityPolicy({ redaction: rules } as never).then(() => 'saved').catch((e: any) => `${e.status} ${JSON.stringify(e.detail ?? e.message).slice(0, 160)}`));
const terms = ['Falke', 'Falken', 'Falkenstein', 'Project (Night|Gale)', 'C++ [draft]', '🦅 Eagle', 'מבצע סופה', '<b>Bold</b>', 'Person_1', 'x.y*z', '$& $1', '山田プロジェクト', 'AT&T', 'naïve plan'];
for (const t of ['Falkenstein', 'Project (Night|Gale)', 'C++ [draft]', '🦅 Eagle', 'מבצע סופה', 'x.y*z', '山田プロジェクト', 'naïve plan']) hide(t);
const patterns = ['CN-[0-9]{6}', '(?i)kennung\\s*:\\s*\\S+', '\\bZQ\\d+\\b'];
for (const c of [mine, theirs]) await c.tenants.setSecurityPolicy({ redaction: { kinds: ['names', 'addresses', 'emails', 'phones', 'accounts', 'national_numbers', 'birth_dates'], patterns, terms } } as never);
say('rules saved');
const planted = (n: number) => {
  const name = `Zyx${String.fromCharCode(97 + n % 26)}ella Quarn${String.fromCharCode(97 + (n * 7) % 26)}by`;
  const mail = `zq.${n}@planted.example`; const cn = `CN-${String(100000 + n)}`;
  hide(name); hide(mail); hide(cn);
  return `Dear Mrs. ${name}, your number ${cn} and ${mail} belong to Falkenstein and to Project (Night|Gale); Person_1 and 🦅 Eagle, מבצע סופה, x.y*z, C++ [draft], 山田プロジェクト <b>naïve plan</b> &amp; AT&T $& $1.`;
};
const check = (where: string) => {
  const sent = [...chat.requests.map(({ received }) => JSON.stringify(received)), ...deepl.requests.map(({ body }) => JSON.stringify(body))];
  const all = sent.join('\n');
  const leaks = [...secrets].filter((s) => all.includes(s) || all.includes(JSON.stringify(s).slice(1, -1)) || all.toLowerCase().includes(s.toLowerCase()));
  say(where, 'requests', chat.requests.length, deepl.requests.length, 'leaks', leaks.slice(0, 10));
  for (const leak of leaks.slice(0, 2)) { const one = sent.find((x) => x.toLowerCase().includes(leak.toLowerCase()))!; const at = one.toLowerCase().indexOf(leak.toLowerCase()); say('  ', leak, '…', one.slice(Math.max(0, at - 200), at + 100)); }
};
const one = async (c: any, body: any) => { const j = await c.translations.create(body).catch((e: any) => ({ status: `error ${e.status}`, final_translation: JSON.stringify(e.detail ?? e.message) })); return j; };
for (const [target, type] of [['de', 'Plain'], ['es', 'Plain'], ['fr', 'Plain'], ['de', 'Html'], ['es', 'Html']] as const) {
  const source_text = type === 'Html' ? `<p>${planted(target.charCodeAt(0))}</p><p>Dear Mr. <i>Zyx</i>ella</p>` : planted(target.charCodeAt(1));
  const j = await one(mine, { source_text, source_lang: 'en', target_lang: target, text_type: type });
  say(target, type, j.status, JSON.stringify(j.request?.metadata?.redaction), String(j.final_translation ?? j.translated_text).slice(0, 330));
}
check('texts');
const nul = await one(mine, { source_text: 'Mrs. Zyxella Quarnby\u0000 has \ud800 a CN-123456', source_lang: 'en', target_lang: 'de' }); hide('Quarnby'); say('nul', nul.status, nul.final_translation);
// batch in both workspaces
const batch = await Promise.all([mine, theirs].flatMap((c: any, w) => [0, 1].map((b) => c.translations.createBatch({ inputs: Array.from({ length: 50 }, (_, i) => ({ Text: `${planted(w * 200 + b * 60 + i)} Text ${i}.`, Language: "en", Targets: [{ Language: i % 2 ? "de" : "fr" }] })) }).catch((e: any) => say('batch', e.status, e.message)))));
say('batches', batch.map((b: any) => b?.length)); const st: any = {}; for (const j of (batch as any[]).flat()) st[j?.status] = (st[j?.status] ?? 0) + 1; say(JSON.stringify(st));
check('batch');
// documents
const docx = async (n: number) => { const children = Array.from({ length: n }, (_, i) => { const t = planted(i + 1000); const m = 14; return new Paragraph({ children: [new TextRun(t.slice(0, m)), new TextRun({ text: t.slice(m, m + 8), bold: true }), new TextRun(t.slice(m + 8) + ` Paragraph ${i}.`)] }); }); return new File([new Uint8Array(await Packer.toBuffer(new Document({ sections: [{ children }] })))], 'Letters.docx'); };
const xliff = (n: number) => new File([`<?xml version="1.0"?><xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file original="a" source-language="en" target-language="de" datatype="plaintext"><body>${Array.from({ length: n }, (_, i) => `<trans-unit id="${i}"><source>${planted(i + 3000).replaceAll('&amp;', 'and').replace(/<\/?b>/g, '').replaceAll('&', '&amp;')} <g id="1">Mr. Zyxella</g> ${i}</source><note>Ask Mrs. Zyxella Quarnby</note></trans-unit>`).join('')}</body></file></xliff>`], 'a.xliff');
const send = async (c: any, f: File, target = 'de') => c.documents.translate({ source_document: f, source_lang: 'en', target_lang: target }).then((p: any) => p).catch((e: any) => say('document', f.name, e.status, e.message));
const pdf = new File([(await import('node:fs')).readFileSync('/work/shared/corpus/pdf/single-column.pdf')], 'a.pdf');
const first = await Promise.all([send(mine, await docx(400)), send(theirs, await docx(300), 'fr'), send(mine, xliff(300)), send(theirs, pdf), send(mine, await docx(40), 'es')]);
say('sent', first.map((d: any) => d?.id));
await sleep(2500); say('kill worker and api'); worker.kill('SIGKILL'); api.kill('SIGKILL');
await sleep(500); api = launch('server/main.ts', '4712', ['--api-only']); worker = launch('workers/main.ts', '0'); await up(); say('up again');
await sleep(3000); worker.kill('SIGKILL'); worker = launch('workers/main.ts', '0');
const owners = [mine, theirs, mine, theirs, mine] as any[];
for (let t = 0; t < 120; t++) {
  const docs = await Promise.all(first.map((d: any, i) => d && owners[i].documents.get(d.id).catch((e: any) => ({ status: e.message }))));
  if (t % 5 === 0) say(docs.map((d: any) => `${d?.status}/${d?.stage ?? ''}`).join(' '));
  if (docs.every((d: any) => !d || !['queued', 'processing', 'pending', 'running', 'translating', 'in_progress'].includes(d.status))) { for (const d of docs) say(d?.status, JSON.stringify(d?.failure ?? d?.error ?? null).slice(0, 300)); break; }
  await sleep(1000);
}
check('documents');
for (const [i, d] of first.entries()) if (d) { const segs: any[] = []; try { for await (const s of owners[i].documents.segments((d as any).id)) { segs.push(s); } } catch (e: any) { say(e.message); }
  say('doc', i, segs.length, 'flagged', segs.filter((s) => s.needs_review ?? s.flagged).length, 'placeholders left', segs.filter((s) => /(Person|Value|Email|Term)_(?!1\b)\d/.test(String(s.target_text))).length); const bad = segs.find((s) => (s.issues ?? []).length); if (bad) say('   ', JSON.stringify(bad).slice(0, 700)); }
say('done');
apy.kill(); worker.kill('SIGTERM'); api.kill('SIGTERM'); await sleep(4000); process.exit();
