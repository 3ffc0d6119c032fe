import { once } from 'node:events';
import { type Command, describeFailure, exitCodes, UsageError } from '../command.ts';
import { clientOf, readUrl, urlOf } from '../credentials.ts';
import { tell } from '../io.ts';
import { aborted } from './files.ts';

export const compat: Command = {
  summary: 'serve the APIs of DeepL and LibreTranslate in front of the service',
  options: {
    port: { summary: 'the port (default: 5000)', value: 'PORT' },
    host: { summary: 'the address to listen at (default: 127.0.0.1)', value: 'HOST' },
    'public-url': { summary: 'the URL of this program for links, behind a proxy', value: 'URL' },
    held: {
      summary: 'for a text that awaits a review: proposal or error (default: proposal)',
      value: 'WHAT',
    },
    'default-key': { summary: 'use LINGUALOOP_API_KEY for callers of LibreTranslate without a key' },
  },
  notes: [
    'Clients of DeepL send an API key of the workspace as their authentication key, and those of LibreTranslate as api_key.',
    'Glossaries, translation memory and the quality gate apply. A call without a counterpart is an error in the form of the API.',
  ],
  examples: [
    'lingualoop compat --url https://translate.example.com',
    'lingualoop compat --port 5000 --held error',
  ],
  run: async ({ io, values }) => {
    const port = values.text('port') ?? '5000';
    if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
      throw new UsageError('--port must be a port, such as 5000');
    const held = values.text('held') ?? 'proposal';
    if (held !== 'proposal' && held !== 'error') throw new UsageError('--held must be proposal or error');
    const fallbackKey = values.has('default-key') ? io.env['LINGUALOOP_API_KEY'] : undefined;
    if (values.has('default-key') && !fallbackKey)
      throw new UsageError('--default-key needs LINGUALOOP_API_KEY');
    const publicUrl = values.text('public-url');
    const service = await urlOf(io, values);
    const { serveCompat } = await import('../compat/server.ts');
    const { url, server } = await serveCompat({
      port: Number(port),
      host: values.text('host') ?? '127.0.0.1',
      open: (apiKey) => clientOf(service, { apiKey }),
      fallbackKey,
      heldIsError: held === 'error',
      publicUrl: publicUrl === undefined ? undefined : readUrl(publicUrl),
      failed: (error) => tell(io, `error: ${describeFailure(error)}`),
    });
    tell(io, `Serving the APIs of DeepL (${url}/v2) and LibreTranslate (${url}) for ${service}.`);
    await aborted(io.signal);
    server.closeIdleConnections();
    server.close();
    await once(server, 'close');
    return exitCodes.done;
  },
};
