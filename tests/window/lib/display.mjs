// A display without a screen, and what the driver cannot do on it: press the close button of a window, and look.

import { spawn } from 'node:child_process';
import net from 'node:net';

/** Starts Xvfb on the first free display. */
export async function startDisplay() {
  const server = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x800x24', '-nolisten', 'tcp', '-ac'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const number = await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('exit', (code) => reject(new Error(`Xvfb ended with code ${code}`)));
    server.stdio[3].once('data', (data) => resolve(String(data).trim()));
  });
  return { name: `:${number}`, stop: () => server.kill() };
}

const CLIENT_MESSAGE = 33;
const OPCODE = { getGeometry: 14, getImage: 73, getProperty: 20, internAtom: 16, queryTree: 15, sendEvent: 25 };
const Z_PIXMAP = 2;
const ATOM = 4;

/** A connection that speaks just enough X11 to find a window and to send it a message. */
class Connection {
  #socket;
  #received = Buffer.alloc(0);
  #wake = () => undefined;

  static async open(display) {
    const connection = new Connection();
    connection.#socket = net.connect(`/tmp/.X11-unix/X${display.replace(':', '')}`);
    connection.#socket.on('data', (data) => {
      connection.#received = Buffer.concat([connection.#received, data]);
      connection.#wake();
    });
    const hello = Buffer.alloc(12);
    hello.write('l');
    hello.writeUInt16LE(11, 2);
    connection.#socket.write(hello);
    const head = await connection.#take(8);
    const setup = await connection.#take(head.readUInt16LE(6) * 4);
    const screens = 32 + ((setup.readUInt16LE(16) + 3) & ~3) + setup[21] * 8;
    connection.root = setup.readUInt32LE(screens);
    return connection;
  }

  close() {
    this.#socket.end();
  }

  async #take(length) {
    while (this.#received.length < length) await new Promise((resolve) => (this.#wake = resolve));
    const taken = this.#received.subarray(0, length);
    this.#received = this.#received.subarray(length);
    return taken;
  }

  async #ask(opcode, detail, body) {
    const request = Buffer.alloc(4 + body.length);
    request[0] = opcode;
    request[1] = detail;
    request.writeUInt16LE(request.length / 4, 2);
    body.copy(request, 4);
    this.#socket.write(request);
    const head = await this.#take(32);
    return { head, rest: await this.#take(head.readUInt32LE(4) * 4) };
  }

  async atom(name) {
    const body = Buffer.alloc(4 + ((name.length + 3) & ~3));
    body.writeUInt16LE(name.length, 0);
    body.write(name, 4, 'latin1');
    return (await this.#ask(OPCODE.internAtom, 0, body)).head.readUInt32LE(8);
  }

  async children(window) {
    const { head, rest } = await this.#ask(OPCODE.queryTree, 0, words(window));
    return Array.from({ length: head.readUInt16LE(16) }, (_, i) => rest.readUInt32LE(i * 4));
  }

  async atoms(window, property) {
    const { head, rest } = await this.#ask(OPCODE.getProperty, 0, words(window, property, ATOM, 0, 32));
    return Array.from({ length: head.readUInt32LE(16) }, (_, i) => rest.readUInt32LE(i * 4));
  }

  /** What a window shows: its size and its pixels, four bytes each. */
  async image(window) {
    const { head } = await this.#ask(OPCODE.getGeometry, 0, words(window));
    const body = Buffer.concat([words(window, 0), head.subarray(16, 20), words(0xffffffff)]);
    const { rest } = await this.#ask(OPCODE.getImage, Z_PIXMAP, body);
    return { width: head.readUInt16LE(16), height: head.readUInt16LE(18), pixels: rest };
  }

  async sendMessage(window, type, value) {
    const event = Buffer.alloc(32);
    event[0] = CLIENT_MESSAGE;
    event[1] = 32;
    words(window, type, value).copy(event, 4);
    const request = Buffer.concat([Buffer.from([OPCODE.sendEvent, 0, 11, 0]), words(window, 0), event]);
    this.#socket.write(request);
    // A request that is answered: once it is, the message was delivered.
    await this.children(this.root);
  }
}

function words(...values) {
  const buffer = Buffer.alloc(values.length * 4);
  values.forEach((value, i) => buffer.writeUInt32LE(value, i * 4));
  return buffer;
}

/** Presses the close button of every window that has one. */
export async function pressClose(display) {
  const connection = await Connection.open(display);
  const protocols = await connection.atom('WM_PROTOCOLS');
  const deleteWindow = await connection.atom('WM_DELETE_WINDOW');
  for (const window of await connection.children(connection.root)) {
    if ((await connection.atoms(window, protocols)).includes(deleteWindow)) {
      await connection.sendMessage(window, protocols, deleteWindow);
    }
  }
  connection.close();
}

/** What a person would see on the display. */
export async function look(display) {
  const connection = await Connection.open(display);
  const image = await connection.image(connection.root);
  connection.close();
  return image;
}

/** The number of different colours of a picture. */
export function countColours({ pixels }) {
  const colours = new Set();
  for (let at = 0; at < pixels.length; at += 4) colours.add(pixels.readUInt32LE(at));
  return colours.size;
}
