import type { OutputMode } from '#server/platform/engines/chat/output-modes.ts';
import { agreeable, type ChatRequestBody, completion, type Reply, raw } from './openai.ts';

/**
 * A model endpoint that rejects some ways to request JSON. The error messages are quoted from its documentation or its
 * users. If the name contains "if", the message is invented in the form of that endpoint's other errors.
 */
export interface Endpoint {
  name: string;
  /** The output mode that the endpoint supports. */
  answersIn: OutputMode;
  /** The endpoint's errors for output modes that are tried before. */
  refuses: Partial<Record<OutputMode, { status: number; body: unknown }>>;
}

const error = (status: number, message: string, more: object = {}) => ({
  status,
  body: {
    error: { message, type: 'invalid_request_error', param: null, code: null, ...more },
  },
});

export const endpoints: readonly Endpoint[] = [
  {
    name: 'OpenAI with a model from before structured outputs',
    answersIn: 'json_object',
    refuses: {
      json_schema: error(
        400,
        "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
      ),
    },
  },
  {
    name: 'OpenAI with a model from before JSON mode',
    answersIn: 'instructions',
    refuses: {
      json_schema: error(
        400,
        "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
      ),
      json_object: error(
        400,
        "Invalid parameter: 'response_format' of type 'json_object' is not supported with this model.",
        { param: 'response_format' },
      ),
    },
  },
  {
    name: 'Azure OpenAI with an old API version',
    answersIn: 'json_object',
    refuses: {
      json_schema: error(
        400,
        'response_format value as json_schema is enabled only for api versions 2024-08-01-preview and later',
        { code: 'BadRequest', type: null },
      ),
    },
  },
  {
    name: 'DeepSeek',
    answersIn: 'json_object',
    refuses: {
      json_schema: error(400, 'This response_format type is unavailable now', {
        code: 'invalid_request_error',
      }),
    },
  },
  {
    name: 'DeepSeek in 2025',
    answersIn: 'json_object',
    refuses: {
      json_schema: error(
        422,
        'Failed to deserialize the JSON body into the target type: response_format: response_format.type `json_schema` is unavailable now at line 1 column 12440',
      ),
    },
  },
  {
    name: 'Groq with a model that has no structured outputs',
    answersIn: 'json_object',
    refuses: {
      json_schema: error(400, 'This model does not support response format `json_schema`.', {
        param: 'response_format',
      }),
    },
  },
  {
    name: 'llama.cpp before it knew json_schema',
    answersIn: 'json_object',
    refuses: {
      json_schema: {
        status: 500,
        body: {
          error: {
            code: 500,
            message: 'response_format type must be one of "text" or "json_object", but got: json_schema',
            type: 'server_error',
          },
        },
      },
    },
  },
  {
    name: 'llama.cpp with a grammar of its own',
    answersIn: 'instructions',
    refuses: {
      json_schema: error(400, 'Either "json_schema" or "grammar" can be specified, but not both', {
        code: 400,
      }),
      json_object: error(400, 'Either "json_schema" or "grammar" can be specified, but not both', {
        code: 400,
      }),
    },
  },
  {
    name: 'LM Studio, if a model had no structured outputs',
    answersIn: 'instructions',
    refuses: {
      json_schema: { status: 400, body: { error: 'The model does not support structured output' } },
      json_object: { status: 400, body: { error: "'response_format.type' must be 'json_schema' or 'text'" } },
    },
  },
  {
    name: 'vLLM with a schema that its grammar compiler refuses',
    answersIn: 'json_object',
    refuses: {
      json_schema: {
        status: 400,
        body: {
          object: 'error',
          message: 'The provided JSON schema contains features not supported by xgrammar.',
          type: 'BadRequestError',
          param: null,
          code: 400,
        },
      },
    },
  },
  {
    name: 'llama-cpp-python, which checks requests by pydantic',
    answersIn: 'json_object',
    refuses: {
      json_schema: {
        status: 422,
        body: {
          detail: [
            {
              type: 'literal_error',
              loc: ['body', 'response_format', 'type'],
              msg: "Input should be 'text' or 'json_object'",
              input: 'json_schema',
            },
          ],
        },
      },
    },
  },
  {
    name: 'Mistral, if it did not know the field',
    answersIn: 'instructions',
    refuses: {
      json_schema: mistral(),
      json_object: mistral(),
    },
  },
  {
    name: 'xAI in 2024',
    answersIn: 'instructions',
    refuses: { json_schema: xai(), json_object: xai() },
  },
  {
    name: 'OpenRouter where no provider of the model has the parameter',
    answersIn: 'instructions',
    refuses: {
      json_schema: error(404, 'No endpoints found that can handle the requested parameters.', { code: 404 }),
      json_object: error(404, 'No endpoints found that can handle the requested parameters.', { code: 404 }),
    },
  },
];

function mistral() {
  const detail = [
    { type: 'extra_forbidden', loc: ['body', 'response_format'], msg: 'Extra inputs are not permitted' },
  ];
  return {
    status: 422,
    body: { object: 'error', message: { detail }, type: 'invalid_request_error', param: null, code: null },
  };
}

function xai() {
  return {
    status: 400,
    body: {
      code: 'Client specified an invalid argument',
      error: 'The response_format parameter is unsupported at the moment. Leave it unset.',
    },
  };
}

/** The output mode of a request. */
export function modeOf({ response_format }: ChatRequestBody): OutputMode {
  return response_format ? (response_format.type as OutputMode) : 'instructions';
}

/** Rejects the same output modes as the endpoint, and responds to all other requests. */
export const answersAs =
  ({ refuses }: Pick<Endpoint, 'refuses'>, answer: Reply = agreeable): Reply =>
  (response, request) => {
    const refusal = refuses[modeOf(request.body)];
    const reply = refusal ? raw(refusal.status, JSON.stringify(refusal.body)) : answer;
    return reply(response, request);
  };

/**
 * Returns JSON in these output modes. In all other modes, it ignores the requested format and returns a plain sentence,
 * like Ollama before version 0.5.
 */
export const ignoresAllBut =
  (...modes: OutputMode[]): Reply =>
  (response, request) =>
    (modes.includes(modeOf(request.body)) ? agreeable : completion({ content: 'Gern! Hier ist alles: …' }))(
      response,
      request,
    );
