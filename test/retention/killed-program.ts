import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { type Database, openDatabase } from '#db/client.ts';
import { seededRandom } from '#test/bench/seeded-random.ts';
import { type Killable, killableAlone } from '#test/faults/kills.ts';
import { launch } from '#test/setup/launch.ts';
import { poll } from '#test/setup/poll.ts';

/** The number of kills of each program: `KILLS=5` for a short run. */
export const kills = Number(process.env['KILLS'] ?? 50);

/** A program that works on a database and a directory until its work is done. */
export interface Program {
  killable: Killable;
  database: Database;
  /** The arguments of Node. */
  args: readonly string[];
  /** Changes with each step of the work. */
  progress(): Promise<unknown>;
}

/** Opens a database and a directory, which end with the test. */
export async function openForProgram() {
  const killable = await killableAlone({ SECRETS_KEY: Buffer.alloc(32, 7).toString('base64') });
  const database = openDatabase(killable.env['DATABASE_URL']!, { size: 1 });
  onTestFinished(async () => {
    await database.close();
    await killable.end();
  });
  return { killable, database, folder: killable.env['DATA_DIR']! };
}

const random = seededRandom(31);

/** Lets a program work until it is killed, at a random time after a step. */
export const afterStep = {
  timeout: 300_000,
  kills,
  async reach({ killable, args, progress }: Program, kill: number) {
    const before = await progress();
    const { child, ended } = launch(args, killable.env);
    await poll(async () => (await progress()) !== before);
    await delay(random() * 40);
    return {
      async stop(signal: NodeJS.Signals) {
        child.kill(signal);
        expect((await ended).signal, `killed ${kill} times before its end`).toBe(signal);
      },
    };
  },
};

/** Lets a program end its work. */
export async function endWork({ killable, args }: Program): Promise<void> {
  const { code, stderr } = await launch(args, killable.env).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
}
