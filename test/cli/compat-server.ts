import { serveCompat } from '#cli/compat/server.ts';
import { clientOf } from '#cli/credentials.ts';

/** Serves the compatible APIs for an application. */
export async function serve(address: () => string, heldIsError = false) {
  const { url, server } = await serveCompat({
    port: 0,
    host: '127.0.0.1',
    open: (apiKey) => clientOf(address(), { apiKey }),
    fallbackKey: undefined,
    heldIsError,
    publicUrl: undefined,
    failed: (error) => {
      throw error;
    },
  });
  return { url, close: () => void server.close() };
}
