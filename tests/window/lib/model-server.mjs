// A model that says what a script tells it to, over Chat Completions on the loopback interface.
//
// A script is a list; entry N answers request N, the last entry repeats. An entry is one of
//   { text, calls: [{ tool, args }] }     an ordinary streamed answer
//   { status, headers, body }             a refusal
// and may have
//   cut: BYTES, delay_ms: MS              how the answer is chopped up
//   hold: "before" | "middle"             wait for `release()` before the first byte, or when all is said but the end
//   stop_after_events: N                  break the connection off after N events
// Every request is kept, and checked: each tool call of the history has exactly one result.

import http from 'node:http';

/** The reason of the end, and the mark after it. */
const ENDING_EVENTS = 2;

/** Starts the model. `script` may be changed while it runs. */
export async function startModelServer(script) {
  const model = new ModelServer(script);
  await new Promise((resolve) => model.server.listen(0, '127.0.0.1', resolve));
  return model;
}

class ModelServer {
  /** Bodies of all requests so far, with the times of their arrival. */
  requests = [];
  /** Requests that no careful provider would accept. */
  faults = [];
  #held = new Set();
  #listeners = new Set();

  constructor(script) {
    this.script = script;
    this.server = http.createServer((request, response) => {
      this.#serve(request, response).catch((error) => {
        this.faults.push(String(error));
        response.destroy();
      });
    });
  }

  /** The base URL of a provider entry. */
  get baseUrl() {
    return `http://127.0.0.1:${this.server.address().port}/v1`;
  }

  /** The request with this number, from 0, once it has arrived. */
  async request(index) {
    while (this.requests.length <= index) await new Promise((resolve) => this.#listeners.add(resolve));
    return this.requests[index];
  }

  /** Lets everything that is held go on. */
  release() {
    for (const go of this.#held) go();
    this.#held.clear();
  }

  async close() {
    this.release();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  async #serve(request, response) {
    const body = JSON.parse(await text(request));
    const index = this.requests.push(body) - 1;
    this.faults.push(...pairingFaults(body.messages ?? []).map((fault) => `request ${index}: ${fault}`));
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();

    const entry = this.script[Math.min(index, this.script.length - 1)];
    if (entry.hold === 'before') await this.#hold(response);
    if (entry.status !== undefined) {
      response.writeHead(entry.status, { 'content-type': 'application/json', ...entry.headers });
      response.end(JSON.stringify(entry.body ?? {}));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const events = answer(entry, index).slice(0, entry.stop_after_events);
    if (entry.hold === 'middle') {
      await this.#write(response, entry, events.slice(0, -ENDING_EVENTS));
      await this.#hold(response);
      await this.#write(response, entry, events.slice(-ENDING_EVENTS));
    } else {
      await this.#write(response, entry, events);
    }
    if (entry.stop_after_events === undefined) response.end();
    else response.destroy();
  }

  async #write(response, entry, events) {
    const data = Buffer.from(events.join(''));
    const cut = entry.cut ?? data.length;
    for (let at = 0; at < data.length && !response.destroyed; at += cut) {
      response.write(data.subarray(at, at + cut));
      if (entry.delay_ms) await new Promise((resolve) => setTimeout(resolve, entry.delay_ms));
    }
  }

  #hold(response) {
    return new Promise((resolve) => {
      this.#held.add(resolve);
      response.once('close', resolve);
    });
  }
}

async function text(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** The events of an answer, in the wire form of Chat Completions. */
function answer(entry, index) {
  const chunk = (delta, finish = null) =>
    `data: ${JSON.stringify({
      id: `answer-${index}`,
      object: 'chat.completion.chunk',
      created: 1,
      model: 'scripted',
      choices: [{ index: 0, delta, finish_reason: finish }],
    })}\n\n`;
  const words = (entry.text ?? '').match(/\s*\S+\s*/g) ?? [];
  const calls = (entry.calls ?? []).map((call, i) =>
    chunk({
      tool_calls: [
        {
          index: i,
          id: `call_${index}_${i}`,
          type: 'function',
          function: { name: call.tool, arguments: JSON.stringify(call.args) },
        },
      ],
    }),
  );
  return [
    chunk({ role: 'assistant', content: '' }),
    ...words.map((word) => chunk({ content: word })),
    ...calls,
    chunk({}, calls.length > 0 ? 'tool_calls' : 'stop'),
    'data: [DONE]\n\n',
  ];
}

/** What is wrong with the pairs of calls and results in a history. */
export function pairingFaults(messages) {
  const faults = [];
  let open = new Set();
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id)) faults.push(`a result without a call: ${message.tool_call_id}`);
      continue;
    }
    for (const id of open) faults.push(`a call without a result: ${id}`);
    open = new Set((message.tool_calls ?? []).map((call) => call.id));
  }
  for (const id of open) faults.push(`a call without a result: ${id}`);
  return faults;
}

/** The last message of a role in a request. */
export function lastOf(request, role) {
  return request.messages.filter((message) => message.role === role).at(-1);
}
