import { type IncomingMessage, maxHeaderSize, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError, errorBody } from '#server/errors.ts';
import { requestIdFrom } from '#server/platform/ids.ts';

/** Milliseconds that a client may take to read the error. */
const readingTime = 1000;

/**
 * Responds to a request that Node's parser could not read: writes an error directly to the socket, then closes the
 * connection even if the client does not. Until then, the connection keeps its slot, and an incomplete body its
 * memory.
 */
export function refuseBrokenRequests(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  // If the response to an earlier, complete request is being sent, write nothing: the client would read the error as
  // a part of that response.
  const { _httpMessage: response } = socket as { _httpMessage?: ServerResponse };
  if (response?.req.complete) {
    response.once('close', () => socket.destroySoon());
    return;
  }
  const refusal = refusalFor(error.code);
  const requestId = requestIdFrom(undefined);
  const body = JSON.stringify(errorBody(refusal, requestId));
  socket.end(
    [
      `HTTP/1.1 ${refusal.status} ${reasons[refusal.status] ?? 'Bad Request'}`,
      'Connection: close',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-ID: ${requestId}`,
      '',
      body,
    ].join('\r\n'),
  );
  setTimeout(() => socket.destroy(), readingTime).unref();
}

/**
 * Rejects a complete request that must not reach a route. The error is sent after the responses to earlier requests;
 * then the connection is closed.
 */
export function refuseOnConnection(
  refusal: AppError,
  { headers }: IncomingMessage,
  response: ServerResponse,
): void {
  const requestId = requestIdFrom(headers['x-request-id']);
  response
    .writeHead(refusal.status, {
      connection: 'close',
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': requestId,
    })
    .end(JSON.stringify(errorBody(refusal, requestId)));
}

const reasons: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

function refusalFor(code: string | undefined): AppError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new AppError(
      'headers_too_large',
      `the request headers are too large: at most ${maxHeaderSize} bytes`,
    );
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new AppError('request_timeout', 'the request took too long to arrive; send it again');
  if (code === 'HPE_INVALID_EOF_STATE')
    return new AppError('malformed_request', 'incomplete request; send it again');
  return new AppError('malformed_request', 'malformed HTTP request: unreadable request line or headers');
}
