import { createDecipheriv } from 'node:crypto';
import type { Page } from 'playwright-core';
import { draftKeys } from '#server/platform/encryption.ts';

/**
 * All texts in the browser's storage, by job ID. The latest text of a job is first.
 * @param secretsKey the SECRETS_KEY of the service
 */
export async function readDrafts(page: Page, secretsKey: Buffer): Promise<Map<string, string[]>> {
  const all = await readSealed(page);
  return new Map(
    all.map(({ key, iv, sealed }) => {
      const [tenantId = '', userId = '', , id = ''] = key.split(':');
      const [own] = draftKeys({ current: secretsKey, previous: null }, tenantId, userId);
      const decipher = createDecipheriv('aes-256-gcm', own, Buffer.from(iv));
      decipher.setAAD(Buffer.from(key)).setAuthTag(Buffer.from(sealed.slice(-16)));
      const plain = Buffer.concat([decipher.update(Buffer.from(sealed.slice(0, -16))), decipher.final()]);
      const texts: string[] = [];
      for (let draft = JSON.parse(plain.toString()); draft; draft = draft.former) texts.push(draft.text);
      return [id, texts];
    }),
  );
}

/** The records of drafts in the browser's storage, which are encrypted. */
export function readSealed(page: Page): Promise<{ key: string; iv: number[]; sealed: number[] }[]> {
  return page.evaluate(async () => {
    const answer = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    // Opening a database that does not exist would create it.
    if (!(await indexedDB.databases()).some(({ name }) => name === 'lingualoop-drafts')) return [];
    const database = await answer(indexedDB.open('lingualoop-drafts'));
    const store = database.transaction('drafts').objectStore('drafts');
    const [keys, drafts] = await Promise.all([
      answer(store.getAllKeys()),
      answer<{ iv: Uint8Array; sealed: ArrayBuffer }[]>(store.getAll()),
    ]);
    database.close();
    return keys.map((key, at) => ({
      key: String(key),
      iv: [...(drafts[at]?.iv ?? [])],
      sealed: [...new Uint8Array(drafts[at]?.sealed ?? new ArrayBuffer())],
    }));
  });
}
