import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { type Command, exitCodes, UsageError } from '../command.ts';
import { openClient, readUrl } from '../credentials.ts';
import { tell } from '../io.ts';
import { aborted } from './files.ts';

export const mcp: Command = {
  summary: 'serve the tools for AI assistants (Model Context Protocol)',
  options: {
    http: {
      summary: 'serve over HTTP at this port instead of over standard input and output',
      value: 'PORT',
    },
    host: { summary: 'with --http: the address to listen at (default: 127.0.0.1)', value: 'HOST' },
    'public-url': { summary: 'with --http: the URL of this program behind a proxy', value: 'URL' },
    folder: {
      summary: 'the folder whose documents may be read and written (default: none)',
      value: 'FOLDER',
    },
    'allow-approval': { summary: 'also offer the tools that approve and reject translations' },
    reviewer: { summary: 'your name in reviews, with an API key', value: 'NAME' },
  },
  notes: [
    'Without --allow-approval, an assistant can translate and read, but never close a review.',
    'With --http, each request needs the bearer token in LINGUALOOP_MCP_TOKEN; without it, a new token is printed.',
  ],
  examples: ['lingualoop mcp', 'lingualoop mcp --folder ~/Documents', 'lingualoop mcp --http 3333'],
  run: async ({ io, values }) => {
    const port = values.text('http');
    if (port !== undefined && (!/^\d{1,5}$/.test(port) || Number(port) > 65_535))
      throw new UsageError('--http must be a port, such as 3333');
    const { client, url } = await openClient(io, values);
    const folder = values.text('folder');
    const publicUrl = values.text('public-url');
    const options = {
      client,
      folder: folder === undefined ? null : resolve(io.cwd, folder),
      allowApproval: values.has('allow-approval'),
      reviewer: values.text('reviewer') ?? io.env['USER'] ?? io.env['USERNAME'],
    };
    const { createMcpServer } = await import('../mcp/tools.ts');
    if (port === undefined) {
      const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
      const server = createMcpServer(options);
      const closed = new Promise<void>((done) => {
        server.server.onclose = done;
        io.stdin.once('end', done);
      });
      await server.connect(new StdioServerTransport());
      tell(io, `MCP server for ${url} on standard input and output.`);
      await Promise.race([closed, aborted(io.signal)]);
      await server.close();
      return exitCodes.done;
    }
    const { serveHttp } = await import('../mcp/http.ts');
    const own = io.env['LINGUALOOP_MCP_TOKEN'];
    const token = own || randomBytes(24).toString('base64url');
    const served = await serveHttp({
      port: Number(port),
      host: values.text('host') ?? '127.0.0.1',
      publicUrl: publicUrl === undefined ? undefined : readUrl(publicUrl),
      token,
      create: () => createMcpServer(options),
    });
    tell(io, `MCP server for ${url} at ${served.url}.${own ? '' : ` Token: ${token}`}`);
    await aborted(io.signal);
    served.server.closeAllConnections();
    served.server.close();
    await once(served.server, 'close');
    return exitCodes.done;
  },
};
