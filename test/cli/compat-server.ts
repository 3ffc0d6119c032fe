import { serveCompat } from '#cli/compat/server.ts';
import { clientOf } from '#cli/credentials.ts';

/** Serves the compatible APIs for an application. */
export async function serve(
  address: () => string,
  {
    heldIsError = false,
    fallbackKey,
    host = '127.0.0.1',
  }: { heldIsError?: boolean; fallbackKey?: string; host?: string } = {},
) {
  const { url, server } = await serveCompat({
    port: 0,
    host,
    open: (apiKey) => clientOf(address(), { apiKey }),
    fallbackKey,
    heldIsError,
    publicUrl: undefined,
    failed: (error) => {
      throw error;
    },
  });
  return { url, close: () => void server.close() };
}
