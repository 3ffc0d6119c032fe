import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';

/**
 * Loaded into a service with `--import`, before the code of the service. It replies to each message of the parent
 * process with the functions of the repository that have run since the previous message, as `file:offset`. It omits
 * functions of packages, and the top level of modules, which runs when a module is loaded.
 */
const root = fileURLToPath(new URL('../../', import.meta.url));
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

process.on('message', async () => {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const executed = result.flatMap(({ url, functions }) => {
    if (!url.startsWith('file:')) return [];
    const path = fileURLToPath(url);
    if (!path.startsWith(root) || /node_modules|^test\//.test(path.slice(root.length))) return [];
    return functions
      .filter(
        ({ functionName, ranges: [range] }) =>
          range?.count && !(functionName === '' && range.startOffset === 0),
      )
      .map(({ ranges: [range] }) => `${path.slice(root.length)}:${range?.startOffset}`);
  });
  process.send?.(executed);
});
process.channel?.unref();
