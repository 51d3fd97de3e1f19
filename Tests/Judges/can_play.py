#!/usr/bin/env python3
"""Asks a headless Chromium which kinds of media its build can play.

usage: can_play.py TYPE…

A TYPE is as in RFC 6381, 'video/mp4; codecs="av01.0.00M.10"'. Prints one JSON object: for each of them what the browser's
canPlayType says, where "" is no.
"""
import json, sys

from browsers import Chromium

ASK = "const v = document.createElement('video'); return Object.fromEntries(%s.map(t => [t, v.canPlayType(t)]))"


def main():
    browser = Chromium()
    try:
        print(json.dumps(browser.run(ASK % json.dumps(sys.argv[1:]))))
    finally:
        browser.end()


main()
