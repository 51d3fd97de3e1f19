// lab-power-off: ends the guest at once. A tree without systemd need not have a `poweroff`.

#include <stdio.h>
#include <sys/reboot.h>
#include <unistd.h>

int main(void) {
    sync();
    reboot(RB_POWER_OFF);
    perror("lab-power-off: reboot");
    return 1;
}
