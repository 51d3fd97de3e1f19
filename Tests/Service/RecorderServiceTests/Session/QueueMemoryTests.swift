import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

@Suite struct QueueMemoryTests {
    private static let information = "MemTotal:  16000000 kB\nMemFree: 1 kB\nMemAvailable:    8388608 kB\n"

    private func share(_ files: [String: String]) -> Int64 { QueueMemory.share { files[$0] } }

    @Test func share_freeMemory_isAnEighthOfIt() {
        #expect(share(["/proc/meminfo": Self.information]) == 1 << 30)
        #expect(share(["/proc/meminfo": "MemTotal: 8388608 kB\n"]) == 1 << 30)
    }

    @Test func share_controlGroupLimit_isUsed() {
        let files = [
            "/proc/meminfo": Self.information, "/proc/self/cgroup": "0::/system.slice/recorder@front.service\n",
            "/sys/fs/cgroup/system.slice/recorder@front.service/memory.max": "max\n",
            "/sys/fs/cgroup/system.slice/recorder@front.service/memory.high": "536870912\n",
            "/sys/fs/cgroup/system.slice/memory.max": "1073741824\n",
        ]
        #expect(share(files) == 64 << 20)
        #expect(share(files.filter { !$0.key.hasSuffix("high") }) == 128 << 20)
    }

    @Test func share_controlGroupsVersion1_isUsed() {
        let files = [
            "/proc/meminfo": Self.information, "/proc/self/cgroup": "9:cpu,cpuacct:/a\n4:memory:/docker/1\n",
            // A container only sees the root group.
            "/sys/fs/cgroup/memory/memory.limit_in_bytes": "1073741824\n",
        ]
        #expect(share(files) == 128 << 20)
    }

    @Test func share_invalidLimit_isIgnored() {
        #expect(share([:]) == QueueMemory.usual)
        for text in ["", "max", "-1", "0", "99999999999999999999", "\u{0}"] {
            let files = [
                "/proc/meminfo": "MemAvailable: \(text) kB\nMemTotal:", "/proc/self/cgroup": "0::/\n::\n\n0:\nx",
                "/sys/fs/cgroup/memory.max": text,
            ]
            #expect(share(files) >= QueueMemory.least, "\(text)")
        }
        #expect(share(["/proc/meminfo": "MemAvailable: 100 kB\n"]) == QueueMemory.least)
    }
}
