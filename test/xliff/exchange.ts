import type { Headers } from '#test/factories.ts';
import type { TestApp } from '#test/setup/app.ts';
import { answerOf } from '#test/translations/workspace.ts';

export const xliffType = 'application/xliff+xml';

/** Functions that send the XLIFF requests of a tenant, by default with its API key. */
export function exchangeOf(app: TestApp, key: Headers) {
  const exported = async (path: string, headers = key) => {
    const response = await app.request(path, { headers: { ...headers, accept: xliffType } });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const sent = (path: string, body: string | Uint8Array<ArrayBuffer>, headers = key) =>
    answerOf(app.request(path, { method: 'POST', headers: { ...headers, 'content-type': xliffType }, body }));
  return {
    exported,
    sent,
    exportJobs: (query = '') => exported(`/api/translations${query}`),
    reviewJob: (id: string, body: string | Uint8Array<ArrayBuffer>, query = '') =>
      sent(`/api/translations/${id}/review${query}`, body),
    exportSegments: (id: string, query = '') => exported(`/api/documents/${id}/segments${query}`),
    reviewSegments: (id: string, body: string | Uint8Array<ArrayBuffer>, query = '') =>
      sent(`/api/documents/${id}/review${query}`, body),
  };
}

/** Changes the target of a unit in a document. Also changes its state, if one is given. */
export function withTarget(xliff: string, unitId: string, target: string, state?: string): string {
  return changed(xliff, unitId, (unit) =>
    unit
      .replace(/(<target[^>]*>)[\s\S]*?(<\/target>)/, (_, open, close) => `${open}${target}${close}`)
      .replace(/state="\w+"/, (before) => (state === undefined ? before : `state="${state}"`)),
  );
}

/** Changes one unit in a document. */
export function changed(xliff: string, unitId: string, change: (unit: string) => string): string {
  let found = false;
  const result = xliff.replace(new RegExp(`<unit id="${unitId}"[\\s\\S]*?</unit>`), (unit) => {
    found = true;
    return change(unit);
  });
  if (!found) throw new Error(`no unit ${unitId} in ${xliff}`);
  return result;
}
