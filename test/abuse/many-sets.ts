import { connect, type Signup } from '#test/setup/app.ts';
import { tmx } from '#test/translation-memory/tmx.ts';
import type { Attack } from './measure-attack.ts';

const uploads = 1200;
/** Number of concurrent uploads. */
const wide = 16;

let tenant: Signup;

const kinds = {
  glossaries: {
    path: '/api/terminology',
    field: 'terminology_file',
    file: 'a.csv',
    content: 'ledger,livre',
    type: 'text/csv',
  },
  memories: {
    path: '/api/tm',
    field: 'tmx_file',
    file: 'a.tmx',
    content: tmx([['Hello', 'Bonjour']]),
    type: 'application/xml',
  },
};

/** One tenant uploads many small sets, each under a new name. */
export const manySets: Attack = {
  title: `${uploads} uploads of glossaries and as many of memories, each under another name`,

  async prepare({ address }) {
    tenant = await connect(address).signUp();
  },

  async run({ address }) {
    const { request, json } = connect(address);
    const figures: Record<string, number | string> = {};
    for (const [kind, { path, field, file, content, type }] of Object.entries(kinds)) {
      const statuses: Record<number, number> = {};
      let next = 0;
      const worker = async () => {
        for (let n = next++; n < uploads; n = next++) {
          const form = new FormData();
          form.append('name', `set ${n}`);
          form.append('source_lang', 'en');
          form.append('target_lang', 'fr');
          form.append(field, new File([content], file, { type }));
          const response = await request(path, { method: 'POST', headers: tenant.headers, body: form });
          await response.arrayBuffer();
          statuses[response.status] = (statuses[response.status] ?? 0) + 1;
        }
      };
      const began = performance.now();
      await Promise.all(Array.from({ length: wide }, worker));
      figures[`${kind}: seconds`] = Math.round((performance.now() - began) / 100) / 10;
      figures[`${kind}: answers by status`] = JSON.stringify(statuses);
      const listed = performance.now();
      const { body } = await json('GET', path, { headers: tenant.headers });
      figures[`${kind}: listed`] = body.length;
      figures[`${kind}: list, ms`] = Math.round(performance.now() - listed);
      figures[`${kind}: list, KB`] = Math.round(JSON.stringify(body).length / 1000);
    }
    return figures;
  },
};
