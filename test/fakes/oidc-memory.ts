import type { Adapter, AdapterPayload } from 'oidc-provider';

type Entry = { payload: AdapterPayload; until: number };

/**
 * Creates the storage of one identity provider as a separate map. The default storage of oidc-provider is one map for
 * all providers, and prints a warning.
 */
export function createMemory(): (model: string) => Adapter {
  const entries = new Map<string, Entry>();
  const alive = (wanted: (key: string, payload: AdapterPayload) => boolean) =>
    [...entries].find(([key, { payload, until }]) => until > Date.now() && wanted(key, payload))?.[1].payload;

  return (model) => {
    const keyOf = (id: string) => `${model}:${id}`;
    const ofModel = (key: string) => key.startsWith(`${model}:`);
    return {
      async upsert(id, payload, expiresIn) {
        entries.set(keyOf(id), { payload, until: Date.now() + (expiresIn ?? 3600) * 1000 });
      },
      find: async (id) => alive((key) => key === keyOf(id)),
      findByUid: async (uid) => alive((key, payload) => ofModel(key) && payload.uid === uid),
      findByUserCode: async (code) => alive((key, payload) => ofModel(key) && payload.userCode === code),
      async consume(id) {
        const entry = entries.get(keyOf(id));
        if (entry) entry.payload.consumed = Math.floor(Date.now() / 1000);
      },
      async destroy(id) {
        entries.delete(keyOf(id));
      },
      async revokeByGrantId(grantId) {
        for (const [key, { payload }] of entries) if (payload.grantId === grantId) entries.delete(key);
      },
    };
  };
}
