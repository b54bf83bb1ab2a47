// A client of the TypeScript SDK, as a program: it connects as its one argument
// says, then carries out one action per line of its input and prints one line
// for each. A line {"cancel": true} ends the action that runs.
import { createInterface } from 'node:readline';

const options = JSON.parse(process.argv[2]);

/** The two lines of the SDK: version 1, with a handshake, and version 2, which can do without. */
const SDKs = {
  async 1() {
    const [{ Client }, stdio, http, { ElicitRequestSchema }] = await Promise.all([
      import('@modelcontextprotocol/sdk/client/index.js'),
      import('@modelcontextprotocol/sdk/client/stdio.js'),
      import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
      import('@modelcontextprotocol/sdk/types.js'),
    ]);
    return {
      Client, elicitation: ElicitRequestSchema, negotiation: {}, version: () => told,
      call: (client, params, request) => client.callTool(params, undefined, request),
      StdioClientTransport: stdio.StdioClientTransport, StreamableHTTPClientTransport: http.StreamableHTTPClientTransport,
    };
  },
  async 2() {
    const [sdk, stdio] = await Promise.all([import('@modelcontextprotocol/client'), import('@modelcontextprotocol/client/stdio')]);
    const mode = options.version === '2026-07-28' ? { pin: options.version } : 'legacy';
    return {
      Client: sdk.Client, elicitation: 'elicitation/create', negotiation: { versionNegotiation: { mode } },
      version: (client) => client.getNegotiatedProtocolVersion(),
      call: (client, params, request) => client.callTool(params, request),
      StdioClientTransport: stdio.StdioClientTransport, StreamableHTTPClientTransport: sdk.StreamableHTTPClientTransport,
    };
  },
};

const sdk = await SDKs[options.sdk]();
const transport = options.url
  ? new sdk.StreamableHTTPClientTransport(new URL(options.url))
  : new sdk.StdioClientTransport({
      command: options.command, args: options.arguments,
      env: { ...process.env, ...options.environment },
    });
const client = new sdk.Client({ name: 'peers', version: '1' }, { capabilities: { elicitation: {} }, ...sdk.negotiation });

const asked = [];
client.setRequestHandler(sdk.elicitation, async (request) => {
  asked.push(request.params.message);
  const action = options.answers?.[asked.length - 1] ?? 'cancel';
  return action === 'accept' ? { action, content: { confirm: true } } : { action };
});

const actions = {
  tools: async (_, request) => ({ text: (await client.listTools({}, request)).tools.map((tool) => tool.name).join('\n') }),
  call: async ({ name, arguments: args }, request) => {
    const result = await sdk.call(client, { name, arguments: args }, request);
    return { text: result.content[0].text, failed: Boolean(result.isError) };
  },
  prompt: async ({ name, arguments: args }, request) => ({
    text: (await client.getPrompt({ name, arguments: args }, request)).messages[0].content.text,
  }),
  resource: async ({ name }, request) => ({ text: (await client.readResource({ uri: name }, request)).contents[0].text }),
};

// Version 1 tells its transport what was agreed on, and nobody else.
let told;
const tell = transport.setProtocolVersion?.bind(transport);
transport.setProtocolVersion = (version) => {
  told = version;
  tell?.(version);
};

await client.connect(transport);
print({ version: sdk.version(client) });

let running;
const input = createInterface({ input: process.stdin });
input.on('line', (line) => {
  const action = JSON.parse(line);
  if (action.cancel) {
    running.abort();
  } else {
    running = new AbortController();
    carryOut(action, running.signal);
  }
});
input.on('close', () => client.close());

async function carryOut(action, signal) {
  try {
    print({ ...(await actions[action.do](action, { signal })), asked });
  } catch (error) {
    print({ error: String(error.message ?? error) || 'an error without words', asked });
  }
}

function print(value) {
  process.stdout.write(JSON.stringify(value) + '\n');
}
