import postgres from 'postgres';
import { viaRpc } from '#test/contract/call.ts';
import { type Deployment, startDeployment } from './deployment.ts';
import { fillDocuments, leaveDocuments } from './documents.ts';
import { addGuides, addTerms, importMemory } from './language.ts';
import { addAudit, addWorkspace } from './people.ts';
import { copyTexts, fillTexts, leaveUnfinished } from './texts.ts';
import { prose } from './words.ts';

/** The amount of data of the workspaces. */
const sizes = {
  large: { members: 20, submitted: 400, texts: 4300, units: 50_000, terms: 2000, events: 20_000 },
  medium: { members: 5, submitted: 100, texts: 600, units: 3000, terms: 300, events: 2000 },
  small: { members: 1, submitted: 40, texts: 100, units: 150, terms: 20, events: 50 },
};

/**
 * Fills an empty data folder with a deployment as it is after a year: three workspaces of different sizes. Almost all
 * data is created by requests, so that it has the form that the service gives it.
 */
export async function build(dataDir: string, print: (line: string) => void): Promise<void> {
  const started = performance.now();
  const done = (what: string) =>
    print(`${((performance.now() - started) / 1000).toFixed(1).padStart(7)} s  ${what}`);
  const deployment = await startDeployment(dataDir);
  const sql = postgres(deployment.superuserUrl, { max: 1, onnotice: () => {} });
  try {
    // The folder is thrown away if the build does not end, so that nothing has to survive a crash.
    await sql.unsafe('alter system set fsync = off');
    await sql`select pg_reload_conf()`;
    await deployment.startWorkers();
    const pair = { sourceLang: 'en', targetLang: 'de' };
    const workspaces = [];
    for (const [name, size] of Object.entries(sizes)) {
      const workspace = await addWorkspace(deployment, {
        ...{ name: `Meridian ${name}`, domain: `${name}.example`, members: size.members },
      });
      workspaces.push(workspace);
      const { founder } = workspace;
      await switchOnEvents(deployment, founder.bearer);
      done(`${name}: members`);
      const manuals = { name: 'Manuals', units: size.units, ...pair };
      const sources = await importMemory(deployment, founder.key, manuals);
      done(`${name}: TM`);
      await addTerms(deployment, founder.key, { name: 'Terms', terms: size.terms, ...pair });
      await addGuides(deployment, founder, prose(1));
      done(`${name}: glossary and style guides`);
      await fillTexts(deployment, founder.key, size.submitted, sources.slice(0, 40));
      await copyTexts(sql, founder.tenantId, size.texts);
      done(`${name}: texts`);
      await addAudit(sql, workspace, size.events);
    }
    done('copies');
    const [large, , small] = workspaces as [(typeof workspaces)[0], unknown, (typeof workspaces)[0]];
    await importMemory(deployment, large.founder.key, {
      ...pair,
      targetLang: 'fr',
      name: 'Small',
      units: 400,
    });
    await fillDocuments(deployment, large.members);
    done('large: documents');
    await leaveDocuments(deployment, small.founder);
    for (const { founder } of workspaces) await leaveUnfinished(deployment, founder.key, 5);
    done('unfinished work');
    await sql.unsafe('alter system reset fsync');
    await sql`vacuum (analyze)`;
    await sql`checkpoint`;
  } finally {
    await sql.end();
    await deployment.stop();
  }
  done('stopped');
}

/** Reads the event feed once, which switches it on. */
async function switchOnEvents(deployment: Deployment, headers: Record<string, string>) {
  const { status } = await viaRpc(deployment, { path: 'events.list', type: 'query' }, { headers });
  if (status !== 200) throw new Error(`events.list answered ${status}`);
}

if (import.meta.main) await build(process.argv[2] as string, console.log);
