import { UpstreamFailure } from './failure.ts';

/** Bytes of an answer, unpacked: many times the longest that any question asks for. */
const longestAnswer = 8_000_000;

/**
 * `fetch` for an upstream that is not trusted with our memory: an answer that is too long, unpacked, is cut off, and a
 * redirect is not followed, since it would carry the key along.
 */
export async function boundedFetch(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'error' });
  if (!response.body) return response;
  let bytes = 0;
  const bounded = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.length;
        if (bytes <= longestAnswer) controller.enqueue(chunk);
        else controller.error(new UpstreamFailure('malformed', 'the answer is too long'));
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(bounded, { status, statusText, headers });
}
